// Code made at run time: addresses in its instructions keep objects, at whatever byte they lie, in
// collections that stop the program and in cycles, and whatever becomes of its pages.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gc/c/interface.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kBytes = 64;
// Stale words of the test itself may keep some.
constexpr std::size_t kFewLeft = 8;

// Pages for functions of x86-64 that return an object: movabs $object, %rax; ret. Eleven bytes each, so the
// addresses lie at bytes of all sorts.
class Code {
 public:
  static constexpr std::size_t kFunctionBytes = 11;
  static constexpr std::size_t kMapped = 4 << 16;

  Code()
      : begin_(static_cast<unsigned char*>(
            mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        next_(begin_) {
    EXPECT_NE(static_cast<void*>(begin_), MAP_FAILED);
  }
  ~Code() { unmap(); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  void add(const void* object) {
    *next_++ = 0x48;
    *next_++ = 0xb8;
    std::memcpy(next_, &object, sizeof object);
    next_ += sizeof object;
    *next_++ = 0xc3;
  }
  void protect(int protection) const { ASSERT_EQ(mprotect(begin_, kMapped, protection), 0); }
  void unmap() {
    if (begin_ != nullptr) munmap(begin_, kMapped);
    begin_ = nullptr;
  }
  /// Returns what the function with that number returns.
  [[nodiscard]] void* call(std::size_t number) const {
    return reinterpret_cast<void* (*)()>(begin_ + number * kFunctionBytes)();
  }
  [[nodiscard]] unsigned char* begin() const { return begin_; }
  [[nodiscard]] unsigned char* end() const { return begin_ + kMapped; }

 private:
  unsigned char* begin_;
  unsigned char* next_;
};

std::vector<Hidden> fill(Code& code) {
  std::vector<Hidden> objects = drop_many(kBytes, [&](void* object) { code.add(object); });
  code.protect(PROT_READ | PROT_EXEC);
  return objects;
}

TEST(CCodeRoots, AddressesInInstructionsKeepObjects) {
  GC_init();
  Code code;
  ASSERT_EQ(jackdaw_code_roots_add(code.begin(), code.end()), 1);
  const std::vector<Hidden> objects = fill(code);
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects);
#if defined(__x86_64__)
  for (std::size_t i = 0; i < kManyObjects; ++i) EXPECT_EQ(code.call(i), objects[i].address());
#endif
  jackdaw_code_roots_remove(code.begin(), code.end());
  collect();
  EXPECT_LE(count_there(objects), kFewLeft);
}

TEST(CCodeRoots, RangesOfWordsFindAlignedAddressesAlone) {
  GC_init();
  Code code;
  GC_add_roots(code.begin(), code.end());
  const std::vector<Hidden> objects = fill(code);
  collect();
  EXPECT_GE(count_there(objects), kManyObjects / 8);
  EXPECT_LE(count_there(objects), kManyObjects / 8 + 1 + kFewLeft);
  GC_remove_roots(code.begin(), code.end());
}

// The last addresses of a range may lie in no aligned word of it.
TEST(CCodeRoots, ARangeMayBeginAndEndAtAnyByte) {
  GC_init();
  Code code;
  const std::vector<Hidden> objects = fill(code);
  constexpr std::size_t kPrefix = 2;
  for (std::size_t i = 0; i < kManyObjects; ++i) {
    unsigned char* const address = code.begin() + i * Code::kFunctionBytes + kPrefix;
    ASSERT_EQ(jackdaw_code_roots_add(address, address + sizeof(void*)), 1);
  }
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects);
  GC_clear_roots();
}

TEST(CCodeRoots, PagesThatCannotBeReadAreLeftOut) {
  GC_init();
  Code code;
  ASSERT_EQ(jackdaw_code_roots_add(code.begin(), code.end()), 1);
  const std::vector<Hidden> objects = fill(code);
  code.protect(PROT_NONE);
  collect();
  EXPECT_LE(count_there(objects), kFewLeft);
  unsigned char* const begin = code.begin();
  unsigned char* const end = code.end();
  code.unmap();
  collect();
  jackdaw_code_roots_remove(begin, end);
}

// The page is written and made executable while the program is marked beside it.
TEST(CCodeRoots, CodeThatIsWrittenDuringACycleCounts) {
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_VERIFY", "1", 1);
  setenv("JACKDAW_MINIMUM_BUDGET", "64k", 1);
  if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what is written";
  GC_init();
  Code code;
  code.protect(PROT_READ | PROT_EXEC);
  ASSERT_EQ(jackdaw_code_roots_add(code.begin(), code.end()), 1);
  gc::finish_cycle();
  const std::vector<Hidden> objects = drop_many(kBytes);
  {
    gc::HeldCycle cycle(gc::Phase::marked);
    ASSERT_EQ(gc::phase(), gc::Phase::marked);
    ASSERT_EQ(count_there(objects), kManyObjects);
    code.protect(PROT_READ | PROT_WRITE);
    for (const Hidden& object : objects) code.add(object.address());
    code.protect(PROT_READ | PROT_EXEC);
  }
  gc::finish_cycle();
  EXPECT_EQ(count_there(objects), kManyObjects);
  for (int i = 0; i < 3; ++i) gc::run_cycle();
  EXPECT_EQ(count_there(objects), kManyObjects);
  jackdaw_code_roots_remove(code.begin(), code.end());
}

}  // namespace
}  // namespace jackdaw::c_interface
