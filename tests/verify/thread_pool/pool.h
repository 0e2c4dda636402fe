// The shipped ThreadPool, and what it calls of libraries. Its one mutex is the model checker's; a condition
// variable has one waiter at most, which wakes only when it is notified.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "mark/thread_pool.cc"
#include "tests/verify/verify.h"

namespace verify {

inline Mutex pool_lock;
// By thread, each of which writes its own.
inline std::array<bool, 4> has_waited;
// Whether helpers that were woken ahead have no patience left, or no end of it.
inline bool has_time_run_out = false;

inline void* run_thread(void* state) {
  static_cast<std::thread::_State*>(state)->_M_run();
  return nullptr;
}
inline std::atomic<std::uint64_t>& state_of(std::condition_variable* condition) {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(condition);
}

}  // namespace verify

extern "C" {
inline int pthread_mutex_lock(pthread_mutex_t*) noexcept {
  verify::pool_lock.lock();
  return 0;
}
inline int pthread_mutex_unlock(pthread_mutex_t*) noexcept {
  verify::pool_lock.unlock();
  return 0;
}
inline int pthread_cond_destroy(pthread_cond_t*) noexcept { return 0; }
inline int sched_yield() noexcept { return 0; }
inline int getpid() noexcept { return 1; }
}

namespace std {

condition_variable::condition_variable() noexcept { verify::state_of(this).store(0, memory_order_relaxed); }
condition_variable::~condition_variable() noexcept {}
// Relaxed, all: the pool's mutex orders what matters.
void condition_variable::wait(unique_lock<mutex>& lock) {
  verify::state_of(this).store(1, memory_order_relaxed);
  lock.unlock();
  while (verify::state_of(this).load(memory_order_relaxed) != 0) continue;
  lock.lock();
  // A loop around this one is taken for one that waits, too, unless something is written in it.
  verify::has_waited[static_cast<size_t>(__VERIFIER_thread_self())] = true;
}
void condition_variable::notify_one() noexcept { verify::state_of(this).store(0, memory_order_relaxed); }

thread::_State::~_State() = default;
void thread::_M_start_thread(_State_ptr state, void (*)()) {
  _M_id = id(static_cast<native_handle_type>(verify::start(verify::run_thread, state.release())));
}
void thread::join() {
  __VERIFIER_thread_join(static_cast<long>(native_handle()));
  _M_id = id();
}
void terminate() noexcept {
  CHECK(false);
  for (;;) {
  }
}

namespace chrono {
// A time that is far behind the one before, where it runs out.
inline steady_clock::time_point steady_clock::now() noexcept {
  static thread_local long asked = 0;
  return verify::has_time_run_out ? time_point(hours(++asked)) : time_point();
}
}  // namespace chrono

}  // namespace std
