// Stacks of fibers: what idle and running ones keep, in collections that stop the program and in cycles, and
// what becomes of mistakes.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gc/c/interface.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/concurrent/concurrent_program.h"
#include "tests/scaled.h"

namespace jackdaw::c_interface {
namespace {

// ---- Stacks without a fiber: memory and a word
// --------------------------------------------------------------

class Memory {
 public:
  explicit Memory(std::size_t words = 8192)
      : words_(words),
        begin_(static_cast<void**>(mmap(nullptr, words * sizeof(void*), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(static_cast<void*>(begin_), MAP_FAILED);
  }
  ~Memory() { munmap(begin_, words_ * sizeof(void*)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] void** begin() const { return begin_; }
  [[nodiscard]] void** end() const { return begin_ + words_; }

 private:
  const std::size_t words_;
  void** const begin_;
};

// A stack in which a test writes what a fiber would.
class IdleStack : public Memory {
 public:
  explicit IdleStack(std::size_t words = 8192) : Memory(words), saved_(end()) {
    EXPECT_EQ(jackdaw_stack_register(begin(), end(), &saved_), 1);
  }
  ~IdleStack() { jackdaw_stack_unregister(begin()); }

  /// Saves the pointer to the last `words` words. A fiber stores it last of all.
  void save(std::size_t words) { *static_cast<void* volatile*>(&saved_) = end() - words; }
  void save_address(void* address) { saved_ = address; }
  /// Returns a word that lies `words` words below the end.
  void*& word(std::size_t words) { return *(end() - words); }

 private:
  void* saved_;
};

constexpr std::size_t kFewLeft = kManyObjects / 10;
// Nothing else here allocates objects of this size, which would take the place of those that were freed.
constexpr std::size_t kBytes = 200;

std::size_t count_kept(const std::vector<Hidden>& objects) {
  return static_cast<std::size_t>(std::ranges::count_if(objects, [](const Hidden& object) {
    return GC_base(object.address()) == object.address() && GC_size(object.address()) >= kBytes;
  }));
}

// Objects that one word each refers to, `first` words below the end and further down.
[[gnu::noinline]] std::vector<Hidden> fill(IdleStack& stack, std::size_t first) {
  std::size_t word = first;
  return drop_many(kBytes, [&](void* object) { stack.word(word++) = object; });
}

TEST(CFiberStacks, KeepWhatLiesAboveTheSavedPointer) {
  GC_init();
  IdleStack stack;
  const std::vector<Hidden> objects = fill(stack, 1);
  stack.save(kManyObjects);
  collect();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  stack.save(kManyObjects / 2);
  collect();
  EXPECT_GE(count_kept(objects), kManyObjects / 2);
  EXPECT_LE(count_kept(objects), kManyObjects / 2 + kFewLeft);
  stack.save(0);
  collect();
  EXPECT_LE(count_kept(objects), kFewLeft);
}

TEST(CFiberStacks, KeepAllWhereTheSavedPointerLiesElsewhere) {
  GC_init();
  IdleStack stack(std::size_t{1} << 15);  // longer than any system's page
  const std::vector<Hidden> objects = fill(stack, 1000);
  stack.save_address(nullptr);
  // A guard page within the bounds is left out.
  ASSERT_EQ(mprotect(stack.begin(), static_cast<std::size_t>(getpagesize()), PROT_NONE), 0);
  collect();
  EXPECT_EQ(count_kept(objects), kManyObjects);
}

TEST(CFiberStacks, KeepWhatTheyDoOnlyWhileRegistered) {
  GC_init();
  void* saved = nullptr;
  const Memory memory;
  std::vector<Hidden> objects;
  void** word = memory.end();
  objects = drop_many(kBytes, [&](void* object) { *--word = object; });
  saved = word;
  ASSERT_EQ(jackdaw_stack_register(memory.begin(), memory.end(), &saved), 1);
  collect();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  // Half of it, then a part that moved elsewhere.
  void** const middle = memory.end() - kManyObjects / 2;
  ASSERT_EQ(jackdaw_stack_set_bounds(memory.begin(), memory.begin(), middle), 1);
  collect();
  EXPECT_LE(count_kept(objects), kManyObjects / 2 + kFewLeft);
  EXPECT_GE(count_kept(objects), kManyObjects / 2);
  jackdaw_stack_unregister(memory.begin());
  collect();
  EXPECT_LE(count_kept(objects), kFewLeft);
}

TEST(CFiberStacks, AStackInAnObjectWithoutReferencesIsScannedAsAStack) {
  GC_init();
  constexpr std::size_t kWords = 4096;
  static void** memory = nullptr;
  memory = static_cast<void**>(GC_malloc_atomic(kWords * sizeof(void*)));
  void** word = memory + kWords;
  void* saved = nullptr;
  const std::vector<Hidden> objects = drop_many(kBytes, [&](void* object) { *--word = object; });
  saved = word;
  ASSERT_EQ(jackdaw_stack_register(memory, memory + kWords, &saved), 1);
  collect();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  jackdaw_stack_unregister(memory);
}

TEST(CFiberStacks, ThousandsAreScannedByAllMarkThreads) {
  setenv("JACKDAW_MARKERS", "4", 1);
  setenv("JACKDAW_VERIFY", "1", 1);
  GC_init();
  constexpr std::size_t kStacks = 5000;
  constexpr std::size_t kWords = 64;
  const Memory memory(kStacks * kWords);
  std::vector<void*> saved(kStacks);
  std::vector<Hidden> objects;
  for (std::size_t i = 0; i < kStacks; ++i) {
    void** const low = memory.begin() + i * kWords;
    saved[i] = low + kWords / 2;
    ASSERT_EQ(jackdaw_stack_register(low, low + kWords, &saved[i]), 1);
    for (std::size_t word = kWords / 2; word < kWords; ++word) {
      // A list of two, so that there is something to mark from.
      auto** const head = static_cast<void**>(GC_malloc(16));
      *head = GC_malloc(kBytes);
      objects.emplace_back(*head);
      low[word] = head;
    }
  }
  for (int i = 0; i < 3; ++i) collect();
  EXPECT_EQ(count_kept(objects), objects.size());
  for (std::size_t i = 0; i < kStacks; ++i) jackdaw_stack_unregister(memory.begin() + i * kWords);
  collect();
  EXPECT_LE(count_kept(objects), kFewLeft);
}

TEST(CFiberStacks, StayRegisteredInAChild) {
  GC_init();
  IdleStack stack;
  const std::vector<Hidden> objects = fill(stack, 1);
  stack.save(kManyObjects);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    collect();
    const bool all_are_there = count_kept(objects) == kManyObjects;
    stack.save(0);
    collect();
    _exit(all_are_there && count_kept(objects) <= kFewLeft ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// ---- Mistakes
// -----------------------------------------------------------------------------------------------

TEST(CFiberStacksDeathTest, MistakesEndTheProgramWithALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GC_init();
  IdleStack stack;
  IdleStack other;
  void* saved = nullptr;
  void** const low = stack.begin();
  void** const high = stack.end();
  const Memory free_memory;
  EXPECT_DEATH(jackdaw_stack_register(high, low, &saved),
               "^jackdaw: jackdaw_stack_register: the stack from 0x[0-9a-f]+ to 0x[0-9a-f]+ is empty: its "
               "lowest address comes first\n$");
  EXPECT_DEATH(jackdaw_stack_register(low, low, &saved), "is empty");
  EXPECT_DEATH(jackdaw_stack_register(high - 1, high + 1, &saved),
               "^jackdaw: jackdaw_stack_register: the stack from 0x[0-9a-f]+ to 0x[0-9a-f]+ overlaps the one "
               "from 0x[0-9a-f]+ to 0x[0-9a-f]+, which is registered: unregister that first\n$");
  EXPECT_DEATH(jackdaw_stack_set_bounds(low, other.begin(), other.end()), "set_bounds: .* overlaps");
  EXPECT_DEATH(jackdaw_stack_set_bounds(low, high, low), "set_bounds: .* is empty");
  EXPECT_DEATH(
      jackdaw_stack_unregister(low + 1),
      "^jackdaw: jackdaw_stack_unregister: no registered stack begins at 0x[0-9a-f]+: give the lowest "
      "address that it has at present\n$");
  EXPECT_DEATH(jackdaw_stack_set_bounds(free_memory.begin(), low, high), "set_bounds: no registered stack");
  EXPECT_DEATH(jackdaw_stack_register(free_memory.begin(), free_memory.end(), nullptr),
               "register: there is no word for the saved stack pointer");
}

// ---- Cycles
// -------------------------------------------------------------------------------------------------

class CFiberStacksInCycles : public testing::Test {
 protected:
  CFiberStacksInCycles() {
    setenv("JACKDAW_CONCURRENT", "1", 1);
    setenv("JACKDAW_PAUSE_MS", "0", 1);
    setenv("JACKDAW_VERIFY", "1", 1);
    setenv("JACKDAW_MINIMUM_BUDGET", "64k", 1);
  }
  void SetUp() override {
    if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what is written";
    GC_init();
  }
};

TEST_F(CFiberStacksInCycles, IdleStacksKeepAndDrop) {
  IdleStack stack;
  const std::vector<Hidden> objects = fill(stack, 1);
  stack.save(kManyObjects);
  for (int i = 0; i < 3; ++i) gc::run_cycle();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  stack.save(0);
  clean_stack();
  gc::run_cycle();
  gc::run_cycle();
  EXPECT_LE(count_kept(objects), kFewLeft);
}

// Changes a stack after a cycle has scanned it and before the last pause.
template <typename Change>
void expect_kept_after(IdleStack& stack, const std::vector<Hidden>& objects, Change change) {
  {
    gc::HeldCycle cycle(gc::Phase::marked);
    ASSERT_EQ(gc::phase(), gc::Phase::marked);
    ASSERT_EQ(count_kept(objects), kManyObjects);
    change();
  }
  gc::finish_cycle();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  stack.save(0);
}

// A thread hands an object to a waiting fiber, whose saved pointer stays as it is.
TEST_F(CFiberStacksInCycles, WritesToAStackThatWasScannedCount) {
  IdleStack stack;
  stack.save(kManyObjects);
  for (std::size_t word = 1; word <= kManyObjects; ++word) stack.word(word) = nullptr;
  gc::finish_cycle();
  const std::vector<Hidden> objects = drop_many(kBytes);
  expect_kept_after(stack, objects, [&] {
    for (std::size_t i = 0; i < kManyObjects; ++i) stack.word(i + 1) = objects[i].address();
  });
}

// The system refuses to tell of all memory from the first stack to the last.
TEST_F(CFiberStacksInCycles, WritesToStacksOnBothSidesOfOtherMemoryCount) {
  constexpr std::size_t kWords = 8192;
  const Memory memory(4 * kWords);
  void* first_saved = memory.begin() + kWords - kManyObjects;
  void* last_saved = memory.end() - kManyObjects;
  ASSERT_EQ(jackdaw_stack_register(memory.begin(), memory.begin() + kWords, &first_saved), 1);
  ASSERT_EQ(jackdaw_stack_register(memory.end() - kWords, memory.end(), &last_saved), 1);
  gc::finish_cycle();
  const std::vector<Hidden> of_first = drop_many(kBytes);
  const std::vector<Hidden> of_last = drop_many(kBytes);
  {
    gc::HeldCycle cycle(gc::Phase::marked);
    for (std::size_t i = 0; i < kManyObjects; ++i) {
      *(memory.begin() + kWords - 1 - i) = of_first[i].address();
      *(memory.end() - 1 - i) = of_last[i].address();
    }
  }
  gc::finish_cycle();
  EXPECT_EQ(count_kept(of_first), kManyObjects);
  EXPECT_EQ(count_kept(of_last), kManyObjects);
  jackdaw_stack_unregister(memory.begin());
  jackdaw_stack_unregister(memory.end() - kWords);
}

// A thread that ran on it when it was scanned has written to it before, and saves another pointer now.
TEST_F(CFiberStacksInCycles, AnotherSavedPointerCounts) {
  IdleStack stack;
  const std::vector<Hidden> objects = fill(stack, 1);
  gc::finish_cycle();
  expect_kept_after(stack, objects, [&] { stack.save(kManyObjects); });
}

TEST_F(CFiberStacksInCycles, AStackThatIsRegisteredMeanwhileCounts) {
  const Memory memory;
  void* saved = nullptr;
  void** word = memory.end();
  gc::finish_cycle();
  const std::vector<Hidden> objects = drop_many(kBytes, [&](void* object) { *--word = object; });
  saved = word;
  {
    gc::HeldCycle cycle(gc::Phase::marked);
    ASSERT_EQ(jackdaw_stack_register(memory.begin(), memory.end(), &saved), 1);
  }
  gc::finish_cycle();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  jackdaw_stack_unregister(memory.begin());
}

// Stacks of a pool that is cut at no multiple of a page. Each refers to an object in its outermost frame,
// which lies in the page in which the next stack begins.
class StacksThatSharePages {
 public:
  StacksThatSharePages() {
    for (std::size_t i = 0; i < kStacks; ++i) {
      void** const low = memory_.begin() + i * kWords;
      saved_[i] = low + kWords / 2;
      EXPECT_EQ(jackdaw_stack_register(low, low + kWords, &saved_[i]), 1);
      auto* const object = static_cast<std::uint64_t*>(GC_malloc(kBytes));
      object[1] = i;
      *word_of(i) = object;
    }
  }
  ~StacksThatSharePages() {
    for (std::size_t i = 0; i < kStacks; ++i) jackdaw_stack_unregister(memory_.begin() + i * kWords);
  }
  StacksThatSharePages(const StacksThatSharePages&) = delete;
  StacksThatSharePages& operator=(const StacksThatSharePages&) = delete;

  // Swaps the references of two stacks. Each object is then referred to by one stack alone.
  [[gnu::noinline]] void swap(std::size_t one, std::size_t other) {
    void* const object = *word_of(one);
    *word_of(one) = *word_of(other);
    *word_of(other) = object;
  }
  [[gnu::noinline]] std::uint64_t number_of(std::size_t stack) const {
    return static_cast<const std::uint64_t*>(*word_of(stack))[1];
  }

  static constexpr std::size_t kStacks = 600;

 private:
  static constexpr std::size_t kWords = 1000;

  [[nodiscard]] void* volatile* word_of(std::size_t stack) const {
    return static_cast<void* volatile*>(memory_.begin() + (stack + 1) * kWords - 1);
  }

  Memory memory_{kStacks * kWords};
  std::array<void*, kStacks> saved_{};
};

TEST_F(CFiberStacksInCycles, WritesToAPageOfTwoStacksCountForBoth) {
  StacksThatSharePages stacks;
  std::array<std::size_t, StacksThatSharePages::kStacks> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937_64 random(7);
  // In most cycles a stack is written once or not at all, so that no later write makes up for one that is
  // lost.
  for (std::size_t i = 0; i < mark::scaled(10'000'000); ++i) {
    ASSERT_NE(GC_malloc(kBytes), nullptr);
    if (i % 64 != 0) continue;
    const std::size_t one = random() % numbers.size();
    const std::size_t other = random() % numbers.size();
    ASSERT_EQ(stacks.number_of(one), numbers[one]) << "the object of stack " << one;
    stacks.swap(one, other);
    std::swap(numbers[one], numbers[other]);
  }
}

TEST_F(CFiberStacksInCycles, AStackMayBeUnmappedAsSoonAsItIsUnregistered) {
  IdleStack stays;
  for (int i = 0; i < 50; ++i) {
    IdleStack goes;
    fill(goes, 1);
    goes.save(kManyObjects);
    gc::allocate_some();
  }
  gc::run_cycle();
}

// ---- Fibers
// -------------------------------------------------------------------------------------------------

// The system saves registers in the context, which is an object that is only freed explicitly.
class Fiber {
 public:
  Fiber() : context_(static_cast<ucontext_t*>(GC_malloc_uncollectable(sizeof(ucontext_t)))) {}
  ~Fiber() { GC_free(context_); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void run_next(std::function<void()> body, void** low, void** high) {
    body_ = std::move(body);
    getcontext(context_);
    context_->uc_stack.ss_sp = low;
    context_->uc_stack.ss_size = static_cast<std::size_t>(high - low) * sizeof(void*);
    context_->uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(context_, reinterpret_cast<void (*)()>(start), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }
  void switch_to(Fiber& next) { swapcontext(context_, next.context_); }
  [[nodiscard]] void* const* saved() const {
#if defined(__x86_64__)
    return reinterpret_cast<void* const*>(&context_->uc_mcontext.gregs[REG_RSP]);
#else
    return reinterpret_cast<void* const*>(&context_->uc_mcontext.sp);
#endif
  }

 private:
  static void start(unsigned high, unsigned low) {
    const std::uintptr_t self = std::uintptr_t{high} << 32 | low;
    reinterpret_cast<Fiber*>(self)->body_();  // NOLINT(performance-no-int-to-ptr)
    std::abort();                             // a body switches away for good
  }

  ucontext_t* const context_;
  std::function<void()> body_;
};

class StackOfFiber : public Memory {
 public:
  explicit StackOfFiber(const Fiber& fiber) {
    EXPECT_EQ(jackdaw_stack_register(begin(), end(), fiber.saved()), 1);
  }
  ~StackOfFiber() { jackdaw_stack_unregister(begin()); }
};

// Only this frame refers to the objects, in plain words.
[[gnu::noinline]] std::vector<Hidden> hold_objects(const std::function<void()>& meanwhile) {
  std::array<void* volatile, kManyObjects> held;
  std::size_t count = 0;
  std::vector<Hidden> objects = drop_many(kBytes, [&](void* object) { held[count++] = object; });
  meanwhile();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  for (void* volatile& word : held) word = nullptr;
  return objects;
}

// The thread's own stack counts from the saved pointer on while a fiber runs, and the fiber's while not.
TEST(CFiberStacks, BothStacksOfASwitchKeepTheirs) {
  GC_init();
  Fiber main;
  Fiber fiber;
  const StackOfFiber stack(fiber);
  for (const bool is_announced : {false, true}) {
    jackdaw_stack_set_own(is_announced ? main.saved() : nullptr);
    bool is_over = false;
    fiber.run_next(
        [&] {
          hold_objects([&] {
            collect();
            fiber.switch_to(main);
          });
          is_over = true;
          fiber.switch_to(main);
        },
        stack.begin(), stack.end());
    hold_objects([&] {
      main.switch_to(fiber);
      collect();
      main.switch_to(fiber);
    });
    EXPECT_TRUE(is_over);
  }
  jackdaw_stack_set_own(nullptr);
}

// Leaves addresses of objects far below the caller's frame.
[[gnu::noinline]] std::vector<Hidden> leave_stale_words() {
  std::array<void* volatile, 1024 + kManyObjects> stale;
  std::size_t count = 0;
  return drop_many(kBytes, [&](void* object) { stale[count++] = object; });
}

// Words below the saved pointer of the thread's own stack keep nothing.
TEST(CFiberStacks, TheLeftStackCountsFromItsSavedPointer) {
  GC_init();
  Fiber main;
  Fiber fiber;
  const StackOfFiber stack(fiber);
  jackdaw_stack_set_own(main.saved());
  std::vector<Hidden> objects;
  std::size_t left = 0;
  fiber.run_next(
      [&] {
        collect();
        left = count_kept(objects);
        fiber.switch_to(main);
      },
      stack.begin(), stack.end());
  objects = leave_stale_words();
  main.switch_to(fiber);
  EXPECT_LE(left, kFewLeft);
  jackdaw_stack_set_own(nullptr);
}

TEST(CFiberStacks, AThreadMayEndOnAFiber) {
  GC_init();
  Fiber fiber;
  const StackOfFiber stack(fiber);
  fiber.run_next([] { pthread_exit(nullptr); }, stack.begin(), stack.end());
  pthread_t thread;
  ASSERT_EQ(GC_pthread_create(
                &thread, nullptr,
                [](void* argument) -> void* {
                  Fiber own;
                  GC_reachable_here(GC_malloc(16));
                  own.switch_to(*static_cast<Fiber*>(argument));
                  return nullptr;
                },
                &fiber),
            0);
  ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
  collect();
}

// ---- Other threads
// ------------------------------------------------------------------------------------------

// The main thread collects while another runs fibers.
class RunningThread {
 public:
  explicit RunningThread(std::function<void()> body) : body_(std::move(body)) {
    const auto run = [](void* self) -> void* {
      static_cast<RunningThread*>(self)->body_();
      return nullptr;
    };
    EXPECT_EQ(GC_pthread_create(&thread_, nullptr, run, this), 0);
  }
  ~RunningThread() { EXPECT_EQ(GC_pthread_join(thread_, nullptr), 0); }
  RunningThread(const RunningThread&) = delete;
  RunningThread& operator=(const RunningThread&) = delete;

 private:
  std::function<void()> body_;
  pthread_t thread_{};
};

void wait_until(const std::atomic<bool>& condition) {
  while (!condition.load()) std::this_thread::yield();
}

// The fiber's word says that nothing is in use, and the thread's pointer lies elsewhere.
TEST(CFiberStacks, AFiberThatASignalInterruptedCountsWholly) {
  static std::atomic<bool> is_interrupted{false};
  static std::atomic<bool> may_go_on{false};
  GC_init();
  struct sigaction action {};
  action.sa_handler = [](int) {
    is_interrupted.store(true);
    while (!may_go_on.load()) continue;
  };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  const Memory signal_stack;
  Fiber own;
  Fiber fiber;
  const StackOfFiber stack(fiber);
  std::vector<Hidden> objects;
  const auto hold = [&] {
    std::array<void* volatile, kManyObjects> held;
    std::size_t count = 0;
    objects = drop_many(kBytes, [&](void* object) { held[count++] = object; });
    raise(SIGUSR1);
    for (void* volatile& word : held) word = nullptr;
    fiber.switch_to(own);
  };
  fiber.run_next(hold, stack.begin(), stack.end());
  const RunningThread thread([&] {
    stack_t alternate{};
    alternate.ss_sp = signal_stack.begin();
    alternate.ss_size = static_cast<std::size_t>(signal_stack.end() - signal_stack.begin()) * sizeof(void*);
    EXPECT_EQ(sigaltstack(&alternate, nullptr), 0);
    own.switch_to(fiber);
  });
  wait_until(is_interrupted);
  collect();
  EXPECT_EQ(count_kept(objects), kManyObjects);
  may_go_on.store(true);
}

#ifdef __x86_64__
// Pushes the registers that a call keeps, saves the stack pointer in *from, and does the reverse.
extern "C" void fiber_stacks_test_switch(void** from, void* const* to);
asm(".text\n"
    "fiber_stacks_test_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n");

// Two fibers switch to and fro. Each holds a list, which only a register or its stack refers to.
class SwitchingFibers {
 public:
  SwitchingFibers() {
    for (std::size_t i = 0; i < 2; ++i) {
      auto** top = stacks_[i].end() - 2;
      *--top = nullptr;  // an address to return to, for the alignment
      *--top = reinterpret_cast<void*>(i == 0 ? start<0> : start<1>);
      saved_[i] = top - 6;
      EXPECT_EQ(jackdaw_stack_register(stacks_[i].begin(), stacks_[i].end(), &saved_[i]), 1);
    }
    current_ = this;
  }
  ~SwitchingFibers() {
    for (const Memory& stack : stacks_) jackdaw_stack_unregister(stack.begin());
  }
  SwitchingFibers(const SwitchingFibers&) = delete;
  SwitchingFibers& operator=(const SwitchingFibers&) = delete;

  /// Returns when end() was called.
  void run() {
    jackdaw_stack_set_own(&own_);
    fiber_stacks_test_switch(&own_, saved_.data());
    jackdaw_stack_set_own(nullptr);
  }
  void end() { is_over_.store(true); }
  [[nodiscard]] const std::atomic<bool>& runs() const { return runs_; }
  [[nodiscard]] std::size_t turns() const { return turns_; }

 private:
  template <std::size_t kNumber>
  static void start() {
    current_->switch_on<kNumber>();
    std::abort();
  }
  template <std::size_t kNumber>
  void switch_on() {
    void** list = nullptr;
    for (int i = 0; i < 10; ++i) {
      auto** const head = static_cast<void**>(GC_malloc(kBytes));
      *head = list;
      list = head;
    }
    // Relaxed: the switch reads nothing of the other thread's.
    while (!is_over_.load(std::memory_order_relaxed)) {
      ++turns_;
      if (kNumber == 1) runs_.store(true, std::memory_order_relaxed);
      fiber_stacks_test_switch(&saved_[kNumber], &saved_[1 - kNumber]);
      int length = 0;
      for (void** node = list; node != nullptr; node = static_cast<void**>(*node)) ++length;
      EXPECT_EQ(length, 10);
    }
    fiber_stacks_test_switch(&saved_[kNumber], &own_);
  }

  static inline SwitchingFibers* current_ = nullptr;
  std::array<Memory, 2> stacks_;
  std::array<void*, 2> saved_{};
  void* own_ = nullptr;
  std::atomic<bool> runs_{false};
  std::atomic<bool> is_over_{false};
  std::size_t turns_ = 0;
};

void stop_in_switches() {
  SwitchingFibers fibers;
  {
    const RunningThread thread([&fibers] { fibers.run(); });
    wait_until(fibers.runs());
    for (std::size_t i = 0; i < mark::scaled(2000); ++i) {
      drop_many(kBytes);
      if (i % 2 == 0) GC_gcollect();
    }
    fibers.end();
  }
  EXPECT_GT(fibers.turns(), 0U);
}

TEST(CFiberStacks, AThreadMayBeStoppedAnywhereInASwitch) {
  setenv("JACKDAW_VERIFY", "1", 1);
  GC_init();
  stop_in_switches();
}

TEST_F(CFiberStacksInCycles, AThreadMayBeStoppedAnywhereInASwitch) { stop_in_switches(); }
#endif

// ---- A property
// ---------------------------------------------------------------------------------------------

// Fibers that hold lists in their frames and hand objects to each other's frames, on threads that run any of
// them. Stacks come, go, shrink and grow meanwhile. JACKDAW_VERIFY ends the program when a mark is missing;
// each fiber looks at its objects as well.
struct Node {
  Node* next;
  std::uint64_t number;
};

class RandomFiber {
 public:
  RandomFiber() : stack_(fiber_) { restart(); }

  void resume_from(Fiber& thread) {
    back_ = &thread;
    thread.switch_to(fiber_);
  }
  void give(Node* node) { *mailbox_ = node; }
  [[nodiscard]] bool can_be_given() const { return mailbox_ != nullptr && *mailbox_ == nullptr; }

 private:
  void restart() {
    fiber_.run_next([this] { run(); }, stack_.begin(), stack_.end());
  }
  void pause() { fiber_.switch_to(*back_); }

  void run() {
    Node* volatile mail = nullptr;
    mailbox_ = &mail;
    for (std::uint64_t round = 0;; ++round) {
      recurse(round % 20);
      if (Node* const given = mail; given != nullptr) {
        EXPECT_EQ(given->number, given->next->number);
      }
      mail = nullptr;
      pause();
    }
  }
  [[gnu::noinline]] void recurse(std::uint64_t depth) {
    auto* volatile list = static_cast<Node*>(GC_malloc(sizeof(Node)));
    list->number = depth;
    auto* const second = static_cast<Node*>(GC_malloc(sizeof(Node)));
    second->number = depth + 1;
    list->next = second;
    pause();
    if (depth > 0) recurse(depth - 1);
    EXPECT_EQ(list->number, depth);
    EXPECT_EQ(list->next->number, depth + 1);
  }

  Fiber fiber_;
  const StackOfFiber stack_;
  Fiber* back_ = nullptr;
  Node* volatile* mailbox_ = nullptr;
};

// Takes a fiber that no other thread runs, and puts it back.
class Pool {
 public:
  explicit Pool(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) idle_.push_back(std::make_unique<RandomFiber>());
  }
  std::unique_ptr<RandomFiber> take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::swap(idle_[number % idle_.size()], idle_.back());
    std::unique_ptr<RandomFiber> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void put(std::unique_ptr<RandomFiber> fiber) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(fiber));
  }
  // Hands an object to a fiber that waits.
  void give(std::uint64_t number, Node* node) {
    const std::lock_guard lock(mutex_);
    RandomFiber& fiber = *idle_[number % idle_.size()];
    if (fiber.can_be_given()) fiber.give(node);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<RandomFiber>> idle_;
};

void run_randomly(Pool& pool, std::uint64_t seed, bool announces_own) {
  std::mt19937_64 random(seed);
  Fiber own;
  if (announces_own) jackdaw_stack_set_own(own.saved());
  for (int step = 0; step < static_cast<int>(mark::scaled(20'000)); ++step) {
    std::unique_ptr<RandomFiber> fiber = pool.take(random());
    for (std::uint64_t turns = random() % 4; turns > 0; --turns) fiber->resume_from(own);
    if (random() % 50 == 0) fiber = std::make_unique<RandomFiber>();
    pool.put(std::move(fiber));
    auto* const node = static_cast<Node*>(GC_malloc(sizeof(Node)));
    node->number = random();
    node->next = node;
    pool.give(random(), node);
    if (random() % 1000 == 0) GC_gcollect();
  }
  jackdaw_stack_set_own(nullptr);
}

void run_on_threads() {
  constexpr std::size_t kFibers = 300;
  Pool pool(kFibers);
  std::vector<pthread_t> threads(2);
  std::atomic<std::uint64_t> seed{1};
  struct Shared {
    Pool& pool;
    std::atomic<std::uint64_t>& seed;
  } shared{pool, seed};
  for (pthread_t& thread : threads) {
    ASSERT_EQ(GC_pthread_create(
                  &thread, nullptr,
                  [](void* argument) -> void* {
                    auto& it = *static_cast<Shared*>(argument);
                    const std::uint64_t own_seed = it.seed.fetch_add(1);
                    run_randomly(it.pool, own_seed, own_seed % 2 == 0);
                    return nullptr;
                  },
                  &shared),
              0);
  }
  run_randomly(pool, 100, true);
  for (const pthread_t thread : threads) ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
}

TEST(CFiberStacks, RandomFibersOnThreadsKeepTheirObjects) {
  setenv("JACKDAW_VERIFY", "1", 1);
  setenv("JACKDAW_MARKERS", "3", 1);
  setenv("JACKDAW_MINIMUM_BUDGET", "64k", 1);
  GC_init();
  run_on_threads();
}

TEST_F(CFiberStacksInCycles, RandomFibersOnThreadsKeepTheirObjects) {
  run_on_threads();
  EXPECT_GT(GC_get_gc_no(), 2U);
}

}  // namespace
}  // namespace jackdaw::c_interface
