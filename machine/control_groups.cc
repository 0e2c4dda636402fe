#include "machine/control_groups.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace jackdaw::machine {

namespace {

// Whether a list such as "cpu,cpuacct" has an element.
bool list_has(std::string_view list, std::string_view element) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == element) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Adds the group at `path` below `mount` and its ancestors.
void add_up_from(const std::string& mount, std::string path, bool is_version_2,
                 std::vector<ControlGroup>& groups) {
  if (path == "/") path.clear();
  while (true) {
    groups.push_back({mount + path, is_version_2});
    if (path.empty()) return;
    path.resize(std::min(path.size() - 1, path.rfind('/')));
  }
}

// Adds the groups of one line of /proc/self/cgroup: "hierarchy:controllers:path". Version 2 has hierarchy 0
// and no controllers.
void add_by_line(std::string_view line, std::string_view controller, const std::string& cgroup,
                 std::vector<ControlGroup>& groups) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return;
  const std::string path(line.substr(second + 1));
  if (line.starts_with("0::")) {
    add_up_from(cgroup, path, true, groups);
  } else if (list_has(line.substr(first + 1, second - first - 1), controller)) {
    add_up_from(cgroup + "/" + std::string(controller), path, false, groups);
  }
}

// A file that is open for reading, if there is one.
class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Returns what follows in the file, as far as the buffer has room for it; nothing when it cannot be read.
  [[nodiscard]] std::optional<std::string_view> read_into(std::span<char> buffer) const {
    std::size_t size = 0;
    while (size < buffer.size()) {
      const ssize_t length = read(descriptor_, &buffer[size], buffer.size() - size);
      if (length < 0) return std::nullopt;
      if (length == 0) break;
      size += static_cast<std::size_t>(length);
    }
    return std::string_view(buffer.data(), size);
  }

 private:
  const int descriptor_;
};

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view controller, const KernelFolders& folders) {
  std::vector<ControlGroup> groups;
  const std::string memberships = read_kernel_file(folders.proc + "/self/cgroup").value_or("");
  std::string_view rest = memberships;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    add_by_line(rest.substr(0, end), controller, folders.cgroup, groups);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return groups;
}

std::optional<std::string> read_kernel_file(const std::string& path) {
  constexpr std::size_t kMostBytes = 65536;
  const File file(path);
  std::string contents;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto piece = file.read_into(buffer);
    if (!piece) return std::nullopt;
    contents.append(*piece);
    if (piece->size() < buffer.size() || contents.size() >= kMostBytes) return contents;
  }
}

std::optional<std::string_view> read_kernel_file(const std::string& path, std::span<char> buffer) {
  return File(path).read_into(buffer);
}

std::optional<std::uint64_t> number_at_front(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace jackdaw::machine
