#include "tools/inspect/collector_note.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gc/report/inspection_page.h"

namespace jackdaw::tools {

namespace {

bool is_in_segment(Elf* elf, const GElf_Phdr& segment) {
  Elf_Data* const data =
      elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_NHDR);
  if (data == nullptr) return false;
  GElf_Nhdr note;
  std::size_t name = 0;
  std::size_t description = 0;
  for (std::size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) != 0;) {
    const std::string_view text(static_cast<const char*>(data->d_buf) + name, note.n_namesz);
    if (note.n_type == gc::InspectionNote::kType && text.starts_with(gc::InspectionNote::kName) &&
        text.size() == std::string_view(gc::InspectionNote::kName).size() + 1)
      return true;
  }
  return false;
}

bool is_in_file(Elf* elf) {
  std::size_t segments = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &segments) != 0) return false;
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_NOTE &&
        is_in_segment(elf, segment))
      return true;
  }
  return false;
}

using ElfFile = std::unique_ptr<Elf, int (*)(Elf*)>;

}  // namespace

bool has_collector_note(const std::string& path) {
  elf_version(EV_CURRENT);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return false;
  const bool is_found = is_in_file(ElfFile(elf_begin(file, ELF_C_READ, nullptr), elf_end).get());
  close(file);
  return is_found;
}

bool has_collector_note(std::span<char> beginning) {
  elf_version(EV_CURRENT);
  return is_in_file(ElfFile(elf_memory(beginning.data(), beginning.size()), elf_end).get());
}

}  // namespace jackdaw::tools
