// The common parts of all verification clients: threads, checks and memory as the model checker GenMC knows
// them, so that the code under test needs neither change nor stand-in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" {
[[noreturn]] void __VERIFIER_assert_fail(const char* condition, const char* file, int line);
void __VERIFIER_assume(bool condition);
int __VERIFIER_thread_create(const void* attributes, void* (*body)(void*), void* argument);
int __VERIFIER_thread_create_symmetric(const void* attributes, void* (*body)(void*), void* argument,
                                       long twin);
void* __VERIFIER_thread_join(long thread);
long __VERIFIER_thread_self();
void* __VERIFIER_malloc(std::size_t size);
void* __VERIFIER_malloc_aligned(std::size_t alignment, std::size_t size);
void __VERIFIER_free(void* memory);
int __VERIFIER_mutex_lock(int* mutex);
int __VERIFIER_mutex_trylock(int* mutex);
int __VERIFIER_mutex_unlock(int* mutex);

// Called after each compare-and-swap whose failure is ordered less than its success, when `check` tells the
// two apart.
[[gnu::used]] inline void verify_acquire_if(bool succeeded) {
  if (succeeded) std::atomic_thread_fence(std::memory_order_acquire);
}

// Copying words in a row, and making an array of bytes, which the model checker has no operations for.
[[gnu::used]] inline void verify_move_4(std::uint32_t* to, const std::uint32_t* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof(*to); ++i) to[i] = from[i];
}
[[gnu::used]] inline void verify_move_8(std::uint64_t* to, const std::uint64_t* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof(*to); ++i) to[i] = from[i];
}
[[gnu::used]] inline void verify_fill(std::uint8_t* to, std::uint8_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = value;
}
}

#define CHECK(condition) ((condition) ? void() : __VERIFIER_assert_fail(#condition, __FILE__, __LINE__))

// The model checker's own memory: it reports reads of what nobody wrote, and touching what is gone.
void* operator new(std::size_t size) { return __VERIFIER_malloc(size); }
void* operator new[](std::size_t size) { return __VERIFIER_malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return __VERIFIER_malloc(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return __VERIFIER_malloc_aligned(static_cast<std::size_t>(alignment), size);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return __VERIFIER_malloc_aligned(static_cast<std::size_t>(alignment), size);
}
void operator delete(void* memory) noexcept { __VERIFIER_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { __VERIFIER_free(memory); }
void operator delete[](void* memory) noexcept { __VERIFIER_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { __VERIFIER_free(memory); }

namespace verify {

using Thread = long;
using ThreadBody = void* (*)(void*);

inline Thread start(ThreadBody body, void* argument) {
  return __VERIFIER_thread_create(nullptr, body, argument);
}

// For a thread with the same body as `twin`: which of the two does what makes no difference, so it is tried
// once.
inline Thread start_twin(ThreadBody body, void* argument, Thread twin) {
  return __VERIFIER_thread_create_symmetric(nullptr, body, argument, twin);
}

// A thread's body returns a number.
inline void* result(std::uint64_t value) { return reinterpret_cast<void*>(value); }
inline std::uint64_t number(void* result) { return reinterpret_cast<std::uint64_t>(result); }

inline std::uint64_t join(Thread thread) { return number(__VERIFIER_thread_join(thread)); }

class Mutex {
 public:
  void lock() { __VERIFIER_mutex_lock(&word_); }
  bool try_lock() { return __VERIFIER_mutex_trylock(&word_) == 0; }
  void unlock() { __VERIFIER_mutex_unlock(&word_); }

 private:
  int word_ = 0;
};

}  // namespace verify
