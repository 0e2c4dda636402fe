// Systems with pages of 16 and 64 KiB, which stand-ins for functions of the C library imitate: the heap's
// blocks are no whole pages there, and what is said about a part of a page is refused or holds for all of it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "gc/process/concurrent/write_tracking.h"
#include "heap/heap.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

std::size_t page_of_system() { return getauxval(AT_PAGESZ); }

// Global, as the stand-ins need it, from before anything is initialised: 0 stands for the system's.
std::size_t imitated_page = 0;

std::size_t page() { return imitated_page != 0 ? imitated_page : page_of_system(); }
bool starts_page(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % page() == 0; }
std::size_t up_to_page(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }
int refuse() {
  errno = EINVAL;
  return -1;
}

}  // namespace

extern "C" {

int getpagesize() noexcept { return static_cast<int>(page()); }

long sysconf(int name) noexcept {
  static auto* const function = reinterpret_cast<long (*)(int)>(dlsym(RTLD_NEXT, "sysconf"));
  return name == _SC_PAGESIZE ? static_cast<long>(page()) : function(name);
}

int madvise(void* address, std::size_t bytes, int advice) noexcept {
  if (!starts_page(address)) return refuse();
  return static_cast<int>(syscall(SYS_madvise, address, up_to_page(bytes), advice));
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  const auto map = [&](std::size_t length) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the system says.
    return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, file, offset));
  };
  const std::size_t length = up_to_page(bytes);
  if (address != nullptr) {
    if (starts_page(address)) return map(length);
    refuse();
    return MAP_FAILED;
  }
  void* const mapped = map(length + page());
  if (mapped == MAP_FAILED) return mapped;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) & (page() - 1);
  if (before != 0) syscall(SYS_munmap, begin, before);
  syscall(SYS_munmap, begin + before + length, page() - before);
  return begin + before;
}

int munmap(void* address, std::size_t bytes) noexcept {
  return starts_page(address) ? static_cast<int>(syscall(SYS_munmap, address, up_to_page(bytes))) : refuse();
}

// Rounds ranges that userfaultfd watches and protects to whole pages.
int ioctl(int file, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  auto* const argument = va_arg(arguments, std::uint64_t*);
  va_end(arguments);
  const bool has_range = request == UFFDIO_REGISTER || request == UFFDIO_WRITEPROTECT;
  if (has_range && (argument[0] % page() != 0 || argument[1] % page() != 0)) return refuse();
  return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
}

}  // extern "C"

namespace {

class LargePages : public testing::TestWithParam<std::size_t> {
 protected:
  LargePages() { imitated_page = std::max(GetParam(), page_of_system()); }
  ~LargePages() override { imitated_page = 0; }
  void SetUp() override {
    if (page() != GetParam()) GTEST_SKIP() << "the system's pages are longer";
  }

  static constexpr std::size_t kObjectBytes = kBlockBytes;  // in a block of its own
  static Object* allocate(Heap& heap, std::uint64_t key) {
    Object* const object = heap.allocate_large(kObjectBytes, KindNumber::words);
    EXPECT_TRUE(is_cleared(object, kObjectBytes));
    fill_contents(object, kObjectBytes, key);
    return object;
  }
};

TEST_P(LargePages, FreeBlocksAreGivenBackWithoutTheirNeighbours) {
  Heap heap;
  std::vector<Object*> objects;
  for (std::uint64_t key = 0; key < 3000; ++key) objects.push_back(allocate(heap, key));
  std::vector<Object*> live;
  const auto lives = [](std::uint64_t key) { return (key * 2654435761U >> 16 & 3) == 0; };
  for (std::uint64_t key = 0; key < objects.size(); ++key) {
    if (lives(key)) live.push_back(objects[key]);
  }
  keep_only(heap, live);
  const std::uint64_t used = heap.usage().used;
  heap.release_free_memory();
  EXPECT_GT(heap.usage().given_back, page());
  for (std::uint64_t key = 0; key < objects.size(); ++key) {
    if (lives(key)) {
      ASSERT_TRUE(has_contents(objects[key], kObjectBytes, key)) << key;
    }
  }
  for (std::uint64_t key = live.size(); key < objects.size(); ++key) allocate(heap, key);
  EXPECT_EQ(heap.usage().used, used + (objects.size() - live.size()) * kBlockBytes);
}

TEST_P(LargePages, AChunkThatIsEmptyButForTheFirstPageGivesAllOthersBack) {
  Heap heap;
  std::vector<Object*> objects;
  for (std::uint64_t key = 0; key < kUsableBlocks; ++key) objects.push_back(allocate(heap, key));
  keep_only(heap, std::initializer_list<Object*>{objects.front()});
  heap.release_free_memory();
  EXPECT_GE(heap.usage().given_back, (kUsableBlocks - 1) * kBlockBytes - page());
  EXPECT_TRUE(has_contents(objects.front(), kObjectBytes, 0));
}

TEST_P(LargePages, AnObjectLargerThanAChunkGrowsAndShrinksWhereItIs) {
  Heap heap;
  std::size_t bytes = kChunkBytes + kBlockBytes;
  Object* const object = heap.allocate_large(bytes, KindNumber::words);
  ASSERT_NE(object, nullptr);
  fill_contents(object, bytes, 1);
  for (const int blocks : {1, 1, 3, 9, -1, -2, 5, -14, 2}) {
    const std::size_t before = bytes;
    bytes += static_cast<std::size_t>(blocks) * kBlockBytes;
    ASSERT_TRUE(heap.resize_large(object, bytes)) << blocks;
    const auto* const words = reinterpret_cast<const std::uint64_t*>(object);
    for (std::size_t i = before / kWordBytes; i < bytes / kWordBytes; ++i) ASSERT_EQ(words[i], 0U);
    ASSERT_TRUE(has_contents(object, std::min(before, bytes), 1)) << blocks;
    fill_contents(object, bytes, 1);
  }
  const std::uint64_t chunk_bytes = heap.chunk_bytes();
  keep_nothing(heap);
  EXPECT_LT(heap.chunk_bytes(), chunk_bytes);
}

TEST_P(LargePages, AHeapOfAnyLengthHasTables) {
  const KindTable kinds;
  for (const std::size_t chunks : {1U, 2U, 3U, 5U, 9U, 65U}) {
    HeapSpace space(chunks * kChunkBytes, kinds);
    Chunk* const chunk = space.allocate(kChunkBytes);
    ASSERT_NE(chunk, nullptr) << chunks;
    space.release(chunk);
  }
}

// Blocks of neighbours of which one alone may be asked about.
TEST_P(LargePages, WrittenBlocksAreTold) {
  constexpr std::size_t kBlocks = 40;
  gc::WriteTracking tracking;
  if (tracking.start(gc::WriteTrackingMethod::pagemap_scan) == gc::WriteTrackingMethod::none)
    GTEST_SKIP() << "the system does not tell which pages are written";
  void* const memory =
      mmap(nullptr, kBlocks * kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto blocks = [&](std::size_t from, std::size_t to) {
    return base::AddressRange{begin + from * kBlockBytes, begin + to * kBlockBytes};
  };
  const base::AddressRange some = blocks(3, 30);
  ASSERT_TRUE(tracking.watch(blocks(0, kBlocks)));
  std::memset(memory, 1, kBlocks * kBlockBytes);
  ASSERT_TRUE(tracking.arm({&some, 1}));
  *(static_cast<volatile std::byte*>(memory) + 3 * kBlockBytes) = std::byte{2};
  *(static_cast<volatile std::byte*>(memory) + 30 * kBlockBytes - 1) = std::byte{2};
  std::vector<base::AddressRange> told;
  ASSERT_TRUE(tracking.for_each_dirty(some, [&](base::AddressRange run) { told.push_back(run); }));
  ASSERT_FALSE(told.empty());
  EXPECT_LE(told.front().begin, some.begin);
  EXPECT_GE(told.back().end, some.end);
  told.clear();
  base::AddressRange left = some;
  ASSERT_TRUE(tracking.claim_some_dirty(left, [&](base::AddressRange run) { told.push_back(run); }));
  EXPECT_FALSE(told.empty());
  EXPECT_TRUE(tracking.disarm(some));
  munmap(memory, kBlocks * kBlockBytes);
}

INSTANTIATE_TEST_SUITE_P(OfKibibytes, LargePages, testing::Values(16 << 10, 64 << 10),
                         [](const auto& test) { return std::to_string(test.param >> 10); });

}  // namespace
}  // namespace jackdaw::heap
