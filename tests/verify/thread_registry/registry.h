// The shipped ThreadRegistry, how it stops threads, what it calls of libraries and of the system, and a
// program's threads.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/signals_blocked.h"
#include "tests/verify/verify.h"

// At each fence between a thread and its handler a signal may come.
namespace std {
inline void signal_may_come(memory_order) { verify::take_signals(); }
}  // namespace std
#define atomic_signal_fence signal_may_come

#include "gc/process/threads/fiber_stacks.cc"
#include "gc/process/threads/process_thread.cc"
#include "gc/process/threads/stop_protocol.cc"
#include "gc/process/threads/stop_requests.cc"
#include "gc/process/threads/stop_signal.cc"
#include "gc/process/threads/thread_registry.cc"
#include "gc/process/threads/thread_suspension.cc"

namespace verify {
// The thread that is being registered, which main does for all: by its place in the order of their starts,
// from 1 on. That is its number.
inline int registering = 0;
}  // namespace verify

extern "C" {
inline pthread_t pthread_self() noexcept { return static_cast<pthread_t>(verify::registering); }
inline pid_t gettid() noexcept { return verify::registering; }
inline pid_t getpid() noexcept { return 1; }
inline int tgkill(pid_t, pid_t thread, int signal) {
  if (signal != 0) verify::send_signal(static_cast<std::size_t>(thread));
  // A thread that sends itself a signal takes it at once.
  if (thread == __VERIFIER_thread_self()) verify::take_signals();
  return 0;
}
inline int sched_yield() noexcept { return 0; }
inline int* __errno_location() noexcept { return &verify::own_signals().error; }
inline int pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept { return 0; }
inline int pthread_setspecific(pthread_key_t, const void*) noexcept { return 0; }
inline int pthread_sigmask(int, const sigset_t*, sigset_t*) noexcept { return 0; }
inline int sigemptyset(sigset_t*) noexcept { return 0; }
inline int sigaddset(sigset_t*, int) noexcept { return 0; }
inline int sigaction(int, const struct sigaction*, struct sigaction*) noexcept { return 0; }
}

namespace jackdaw::gc {

inline void OwnWork::handle_stop_signal() { StopProtocol::handle_stop_signal(0, nullptr, nullptr); }
inline void OwnWork::set_current(ProcessThread* thread) { AllocatingThread::current_ = thread; }

}  // namespace jackdaw::gc

namespace verify {

namespace gc = jackdaw::gc;

inline void handle_stop_signal() { gc::OwnWork::handle_stop_signal(); }

inline gc::ThreadRegistry* registry = nullptr;
inline std::array<gc::ProcessThread*, kThreads> registered;

[[gnu::noinline]] inline void register_thread(int number) {
  registering = number;
  registered[static_cast<std::size_t>(number)] = &registry->register_current();
  gc::OwnWork::set_current(nullptr);
}
/// A program of one or two threads, which main registers and does not belong to.
inline void make_registry(int threads) {
  static jackdaw::heap::Heap heap;
  static gc::CollectionTrace trace;
  registry = new gc::ThreadRegistry(heap, trace, std::chrono::seconds(0), 0);
  register_thread(1);
  if (threads > 1) register_thread(2);
}
[[gnu::noinline]] inline std::uint32_t stop_others() { return registry->stops().stop_others(); }
[[gnu::noinline]] inline void resume_others() { registry->stops().resume_others(); }
/// As the collector does while threads are stopped.
inline void look_at_stacks() {
  registry->for_each_root(0, gc::StackState::holds_none, {},
                          [](auto, jackdaw::heap::Words words) { CHECK(words.data() != nullptr); });
}
/// The calling thread is the one that was registered for it.
inline gc::ProcessThread& begin_thread() {
  gc::ProcessThread* const own = registered[static_cast<std::size_t>(__VERIFIER_thread_self())];
  gc::OwnWork::set_current(own);
  return *own;
}

}  // namespace verify
