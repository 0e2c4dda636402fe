// Tests of page placement rely on this: page_nodes() tells nodes apart.
#include "tests/numa/page_nodes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "machine/topology.h"
#include "tests/numa/system_nodes.h"

namespace jackdaw::numa {
namespace {

// Fresh memory that is not put on huge pages: each page lies where the thread ran that wrote to it first.
class FreshPages {
 public:
  explicit FreshPages(std::size_t pages)
      : page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_(pages * page_bytes_),
        begin_(static_cast<std::byte*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(begin_, bytes_, MADV_NOHUGEPAGE);
  }
  ~FreshPages() { munmap(begin_, bytes_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;

  void write_to(std::size_t first_page, std::size_t pages) {
    std::memset(begin_ + first_page * page_bytes_, 1, pages * page_bytes_);
  }
  [[nodiscard]] PageNodes nodes() const { return page_nodes(begin_, bytes_); }

 private:
  std::size_t page_bytes_;
  std::size_t bytes_;
  std::byte* begin_;
};

TEST(PageNodes, CountsPagesByTheNodeOfWhoeverWroteToThemFirst) {
  constexpr std::size_t kPages = 10;  // and one more for each node than for the one before
  const machine::Topology topology;
  const std::vector<SystemNode> nodes = system_nodes();
  FreshPages memory(nodes.size() * (kPages + nodes.size()));
  std::size_t written = 0;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    std::thread([&] {
      ASSERT_TRUE(topology.bind_this_thread_to_node(node));
      memory.write_to(written, kPages + node);
    }).join();
    written += kPages + node;
  }
  const PageNodes found = memory.nodes();
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    EXPECT_EQ(found.on(nodes[node].number), kPages + node) << "node " << nodes[node].number;
  EXPECT_EQ(found.absent, nodes.size() * (kPages + nodes.size()) - written);
}

}  // namespace
}  // namespace jackdaw::numa
