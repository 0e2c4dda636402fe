// PageNodes: on which memory nodes the pages of a range of memory lie, as the kernel says when it is asked
// (move_pages without a destination moves nothing).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <system_error>
#include <vector>

namespace jackdaw::numa {

struct PageNodes {
  std::map<std::uint32_t, std::size_t>
      pages;               ///< by the node that they lie on; nodes without one are not listed
  std::size_t absent = 0;  ///< pages that were never written to

  /// Pages on that node.
  [[nodiscard]] std::size_t on(std::uint32_t node) const {
    const auto found = pages.find(node);
    return found == pages.end() ? 0 : found->second;
  }
};

/// Asks for every page of `bytes` bytes from `begin`, which is the start of a page. A page of a huge one
/// counts as a page. Throws std::system_error when the kernel does not tell.
inline PageNodes page_nodes(const void* begin, std::size_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<const void*> pages;
  for (std::size_t offset = 0; offset < bytes; offset += page_bytes)
    pages.push_back(static_cast<const std::byte*>(begin) + offset);
  std::vector<int> status(pages.size());
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status.data(), 0) != 0)
    throw std::system_error(errno, std::generic_category(), "move_pages");
  PageNodes result;
  for (const int node : status) {
    if (node >= 0) {
      ++result.pages[static_cast<std::uint32_t>(node)];
    } else if (node == -ENOENT || node == -EFAULT) {  // not there, or the page of zeros that all share
      ++result.absent;
    } else {
      throw std::system_error(-node, std::generic_category(), "move_pages, of a page");
    }
  }
  return result;
}

}  // namespace jackdaw::numa
