#include "gc/process/thread_registry.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>
#include <thread>

#include "gc/process/stack_pointer.h"

namespace jackdaw::gc {

namespace {

// A signal that programs hardly ever use themselves and that by default would end them, so a lost handler is
// noticed.
constexpr int kStopSignal = SIGPWR;

std::uintptr_t end_of_this_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) throw std::bad_alloc();
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(low) + bytes;
}

// Nothing to stop for may be missed because the thread inherited a mask that blocks the signal.
void unblock_stop_signal() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, kStopSignal);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
}

// Not by way of stderr's buffer: a thread that stands still may hold its lock.
void warn_of_no_answer(std::uint32_t threads) {
  std::array<char, 160> line;
  const int length = std::snprintf(
      line.data(), line.size(),
      "jackdaw: a collection waits for %u threads that do not answer signal %d: they must not block it\n",
      threads, kStopSignal);
  if (write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)) < 0) return;
}

}  // namespace

ThreadRegistry* ThreadRegistry::registry_ = nullptr;
constinit thread_local ProcessThread* ThreadRegistry::current_ = nullptr;

ThreadRegistry::ThreadRegistry(heap::Heap& heap) : heap_(heap) {
  const auto unregister = [](void*) { registry_->unregister_current(); };
  if (const int error = pthread_key_create(&at_exit_, unregister); error != 0)
    throw std::system_error(error, std::generic_category(), "pthread_key_create");
  struct sigaction action {};
  action.sa_handler = handle_stop_signal;
  action.sa_flags = SA_RESTART;
  // Until the thread goes on, no other handler runs on it.
  sigfillset(&action.sa_mask);
  if (sigaction(kStopSignal, &action, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
  registry_ = this;
}

// Relaxed, all: a collector that misses somebody gets the lock first, which is no harm.
ThreadRegistry::Change::Change(ThreadRegistry& registry) : registry_(registry) {
  registry.changes_wanted_.fetch_add(1, std::memory_order_relaxed);
  registry.mutex_.lock();
  registry.changes_wanted_.fetch_sub(1, std::memory_order_relaxed);
}

ProcessThread& ThreadRegistry::register_current() {
  const std::span<std::byte> memory = heap::map_memory(sizeof(ProcessThread));
  if (memory.empty()) throw std::bad_alloc();
  auto* const thread = new (memory.data()) ProcessThread(heap_, end_of_this_stack());
  {
    const Change change(*this);
    threads_.push_back(thread);
    current_ = thread;
  }
  unblock_stop_signal();
  pthread_setspecific(at_exit_, thread);
  return *thread;
}

void ThreadRegistry::unregister_current() {
  ProcessThread* const thread = current_;
  if (thread == nullptr) return;
  {
    // Waits, where it must, as a registered thread: a collection stops it here.
    const Change change(*this);
    std::erase(threads_, thread);
    current_ = nullptr;
  }
  pthread_setspecific(at_exit_, nullptr);
  thread->~ProcessThread();
  heap::unmap_memory({reinterpret_cast<std::byte*>(thread), sizeof(ProcessThread)});
}

std::size_t ThreadRegistry::count() {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

// Relaxed, in both: the thread and its own signal handler are one thread; the signal fences keep the compiler
// from moving anything past them.
void ThreadRegistry::enter_critical(ProcessThread& thread) {
  thread.critical_depth_.store(thread.critical_depth_.load(std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void ThreadRegistry::leave_critical(ProcessThread& thread) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t depth = thread.critical_depth_.load(std::memory_order_relaxed) - 1;
  thread.critical_depth_.store(depth, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (depth != 0 || !thread.stop_pending_.load(std::memory_order_relaxed)) [[likely]]
    return;
  thread.stop_pending_.store(false, std::memory_order_relaxed);
  stand_still(thread);
}

void ThreadRegistry::handle_stop_signal(int) {
  ProcessThread* const thread = current_;
  if (thread == nullptr) return;  // it unregistered after it was signalled: nobody waits for it
  const int error = errno;
  // Relaxed, both: see enter_critical.
  if (thread->critical_depth_.load(std::memory_order_relaxed) != 0) {
    thread->stop_pending_.store(true, std::memory_order_relaxed);
  } else {
    stand_still(*thread);
  }
  errno = error;
}

void ThreadRegistry::stand_still(ProcessThread& thread) {
  FutexWord& epoch = registry_->stop_epoch_;
  FutexWord& running = registry_->still_running_;
  // Acquire: pairs with the release in stop_others, so that the count below is this stop's.
  const std::uint32_t stop = epoch.value().load(std::memory_order_acquire);
  if (stop % 2 == 0) return;  // somebody else's signal
  thread.stack_pointer_ = stack_pointer_below_registers();
  // Release: pairs with the acquire in wait_until_all_stand_still, so that the collector sees all that this
  // thread wrote.
  if (running.value().fetch_sub(1, std::memory_order_release) == 1) running.wake_all();
  // Acquire: pairs with the release in resume_others, so that this thread sees what the collector wrote.
  while (epoch.value().load(std::memory_order_acquire) == stop) epoch.wait(stop);
}

void ThreadRegistry::stop_others() {
  // Relaxed: see Change.
  while (changes_wanted_.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
  mutex_.lock();
  std::uint32_t others = 0;
  for (const ProcessThread* const thread : threads_) {
    if (thread != current_ && !thread->is_blocked_) ++others;
  }
  // Relaxed, both loads and this store: only the holder of the lock writes the epoch, and nobody counts down
  // before he has seen it odd. Release: pairs with the acquire in stand_still.
  still_running_.value().store(others, std::memory_order_relaxed);
  stop_epoch_.value().store(stop_epoch_.value().load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
  for (const ProcessThread* const thread : threads_) {
    if (thread != current_ && !thread->is_blocked_) pthread_kill(thread->handle_, kStopSignal);
  }
  wait_until_all_stand_still();
}

void ThreadRegistry::wait_until_all_stand_still() {
  constexpr std::time_t kPatienceSeconds = 5;
  bool warned = false;
  std::uint32_t waited_for = 0;
  // Acquire: pairs with the release in stand_still.
  while ((waited_for = still_running_.value().load(std::memory_order_acquire)) != 0) {
    still_running_.wait_for(waited_for, kPatienceSeconds);
    // Relaxed: only to know whether to complain.
    if (warned || still_running_.value().load(std::memory_order_relaxed) != waited_for) continue;
    warn_of_no_answer(waited_for);
    warned = true;
  }
}

void ThreadRegistry::resume_others() {
  // Relaxed load: only the holder of the lock writes it. Release store: pairs with the acquire in
  // stand_still.
  stop_epoch_.value().store(stop_epoch_.value().load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
  stop_epoch_.wake_all();
  mutex_.unlock();
}

void ThreadRegistry::call_blocked(void (*function)(void*), void* argument) {
  if (current_ == nullptr) {
    function(argument);
    return;
  }
  block_current(stack_pointer_below_registers());
  function(argument);
  unblock_current();
}

void ThreadRegistry::block_current(std::uintptr_t stack_pointer) {
  const Change change(*this);
  current_->stack_pointer_ = stack_pointer;
  current_->is_blocked_ = true;
}

void ThreadRegistry::unblock_current() {
  const Change change(*this);
  current_->is_blocked_ = false;
}

}  // namespace jackdaw::gc
