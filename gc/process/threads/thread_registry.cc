#include "gc/process/threads/thread_registry.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/page_memory.h"
#include "base/sanitizers.h"
#include "base/signal_mask.h"
#include "base/spin.h"
#include "base/stress.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/reserved_signal.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/thread_status.h"

namespace jackdaw::gc {

namespace {

// Asks the system whether the thread is there.
constexpr int kNoSignal = 0;

// Nothing to stop for may be missed because the thread inherited a mask that blocks the signal.
void unblock(int signal) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, signal);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
}

// The system's number of the calling thread. Where a filter of system calls refuses it: what the thread
// library keeps, and notes in a mutex that knows its owner.
pid_t number_of_this_thread() {
  const pid_t number = gettid();
#ifdef __GLIBC__
  if (number < 0) {
    pthread_mutex_t own = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&own);
    const pid_t owner = own.__data.__owner;
    pthread_mutex_unlock(&own);
    return owner;
  }
#endif
  return number;
}

// Whether the program handles the signal itself.
bool is_handled(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != SIG_IGN;
}

// This bypasses stderr's buffer, whose lock a stopped thread may hold.
[[gnu::format(printf, 1, 2)]] void write_line(const char* format, ...) {
  const base::CancellationDisabled guard;
  std::array<char, 200> line;
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  const int written = std::clamp(length, 0, static_cast<int>(line.size()) - 1);
  if (write(STDERR_FILENO, line.data(), static_cast<std::size_t>(written)) < 0) return;
}

// Relaxed, both: the thread and its own signal handler are one thread; the signal fences keep the compiler
// from moving anything past them.
void raise_depth(std::atomic<std::uint32_t>& depth) {
  depth.store(depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Marks a stop that the collector answered for the thread. Numbers of stops are odd, so this is none.
constexpr std::uint32_t answered_for(std::uint32_t stop) { return stop + 1; }

}  // namespace

ThreadRegistry* ThreadRegistry::registry_ = nullptr;
std::optional<int> ThreadRegistry::chosen_stop_signal_;
constinit thread_local AllocatingThread* AllocatingThread::current_ = nullptr;

ProcessThread::ProcessThread(heap::Heap& heap, const ThreadStack& stack, const ThreadLocals& thread_locals)
    : AllocatingThread(pthread_self(), number_of_this_thread(), heap),
      thread_locals_(thread_locals),
      stack_(stack) {}

void* ProcessThread::operator new(std::size_t bytes) {
  const std::span<std::byte> memory = base::PageMemory::allocate(bytes);
  if (memory.empty()) throw std::bad_alloc();
  return memory.data();
}

void ProcessThread::operator delete(void* thread) {
  base::PageMemory::release({static_cast<std::byte*>(thread), sizeof(ProcessThread)});
}

ThreadRegistry::ThreadRegistry(heap::Heap& heap, CollectionTrace& trace, std::chrono::seconds patience,
                               std::uint32_t processors)
    : heap_(heap),
      trace_(trace),
      patience_(patience),
      short_stops_(base::has_thread_sanitizer() ? 0 : processors) {
  const auto unregister = [](void*) { registry_->unregister_current(); };
  if (const int error = pthread_key_create(&at_exit_, unregister); error != 0)
    throw std::system_error(error, std::generic_category(), "pthread_key_create");
  handler_of_kernel_ = take_stop_signal();
  registry_ = this;
}

// Returns the address that the kernel then calls: the handler's, or that of a sanitizer's in front of it.
std::uintptr_t ThreadRegistry::take_stop_signal() {
  struct sigaction action {};
  action.sa_sigaction = handle_stop_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  action.sa_mask = base::mask_of_all_signals();
  const auto handler = reinterpret_cast<std::uintptr_t>(handle_stop_signal);
  if (!chosen_stop_signal_ && is_handled(stop_signal())) return handler;
  if (sigaction(stop_signal(), &action, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
  return base::SignalAction::of(stop_signal()).value_or(base::SignalAction{.handler = handler}).handler;
}

void ThreadRegistry::set_stop_signal(int signal) {
  if (registry_ == nullptr) chosen_stop_signal_ = signal;
}

sigset_t ThreadRegistry::without_stop_signal(sigset_t signals) {
  sigdelset(&signals, stop_signal());
  return signals;
}

ProcessThread& ThreadRegistry::register_current(std::optional<std::uintptr_t> stack_end) {
  JACKDAW_CHECK(current() == nullptr);
  const OwnWork own_work;
  ThreadStack stack = ThreadStack::of_this_thread();
  if (stack_end) stack.set_end(*stack_end);
  // Before the lock: a collection asks for the loader's lock first.
  const ThreadLocals thread_locals = ThreadLocals::of_this_thread();
  {
    // Changes of the heap's tables are made under the lock, or by a registered thread.
    const std::lock_guard lock(mutex_);
    threads_.reserve_or_throw(threads_.size() + 1);
    std::unique_ptr<ProcessThread> thread(new ProcessThread(heap_, stack, thread_locals));
    if (pthread_setspecific(at_exit_, thread.get()) != 0) throw std::bad_alloc();
    for (ProcessThread* const other : threads_) {
      if (other->number_ == thread->number_) other->is_gone_ = true;  // the system gives numbers again
    }
    threads_.append_reserved(thread.get());
    AllocatingThread::current_ = thread.release();
  }
  unblock(stop_signal());
  return *current();
}

void ThreadRegistry::unregister_current() {
  ProcessThread* const thread = current();
  if (thread == nullptr) return;
  {
    // Waits, where it must, as a registered thread: a collection stops it here.
    const std::lock_guard lock(mutex_);
    threads_.remove_if([thread](const ProcessThread* other) { return other == thread; });
    AllocatingThread::current_ = nullptr;
    const std::unique_ptr<ProcessThread> destroyed(thread);
  }
  pthread_setspecific(at_exit_, nullptr);
}

std::size_t ThreadRegistry::count() {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

// Relaxed: a fork closes the sections while the thread stands still, and going on makes that seen.
void ThreadRegistry::enter_critical(ProcessThread& thread) {
  raise_depth(thread.critical_depth_);
  base::FutexWord& closed = registry_->sections_closed_;
  while (closed.value().load(std::memory_order_relaxed) != 0) [[unlikely]] {
      leave_critical(thread);
      closed.wait(1);
      raise_depth(thread.critical_depth_);
    }
}

// Relaxed: the thread's own word. What others ask is asked again where it is answered, with an acquire.
bool ThreadRegistry::is_to_answer(const ProcessThread& thread) {
  return thread.stop_pending_.load(std::memory_order_relaxed) || is_unanswered(thread);
}

// Relaxed, all: see raise_depth.
void ThreadRegistry::leave_critical(ProcessThread& thread) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) != 0);
  const std::uint32_t depth = thread.critical_depth_.load(std::memory_order_relaxed) - 1;
  thread.critical_depth_.store(depth, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (depth != 0 || !is_to_answer(thread)) [[likely]]
    return;
  answer_pending_stop(thread);
}

// Relaxed: the thread's own word.
void ThreadRegistry::safepoint() {
  ProcessThread* const thread = current();
  if (thread == nullptr || thread->critical_depth_.load(std::memory_order_relaxed) != 0) return;
  if (is_to_answer(*thread)) answer_pending_stop(*thread);
}

// Relaxed, both: see wakes_to_stop.
void ThreadRegistry::sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers) {
  ProcessThread* const thread = current();
  if (thread != nullptr) thread->sleeps_on_.store(&word, std::memory_order_relaxed);
  word.wait(unwanted, sleepers);
  if (thread != nullptr) thread->sleeps_on_.store(nullptr, std::memory_order_relaxed);
  safepoint();
}

void ThreadRegistry::answer_pending_stop(ProcessThread& thread) {
  const int error = errno;
  // Acquire: pairs with the release in ask_to_stop, so that stand_still finds that stop's epoch.
  thread.stop_pending_.exchange(false, std::memory_order_acquire);
  if (!kStopsBySignal || !registry_->answers_in_handler(thread)) {
    const base::SignalsBlocked as_in_a_handler(base::kAllSignals);
    stand_still(thread);
    registry_->answer_suspension(thread);
  }
  stand_if_suspended();
  errno = error;
}

// The thread sends itself the stop signal, and returns whether it has answered in the handler what it was
// asked. The handler is told which stack it interrupted, which may be an alternate one that is a variable on
// the thread's own. It does not come where the thread blocks the signal or the program took it.
// Relaxed, all: whether the thread stands still is for the handler to find out.
bool ThreadRegistry::answers_in_handler(ProcessThread& thread) {
  std::uint32_t asked = 0;
  std::uint32_t left = 0;
  do {
    asked = thread.asked_stop_.load(std::memory_order_relaxed);
    if (!has_stop_signal() || tgkill(getpid(), thread.number_, stop_signal()) != 0) return false;
    left = thread.asked_stop_.load(std::memory_order_relaxed);
  } while (left % 2 != 0 && left != asked);  // another stop has begun since the handler ended
  const bool has_begun = stop_epoch_.value().load(std::memory_order_relaxed) % 2 != 0;
  return !(has_begun && left % 2 != 0) && thread.suspension() != Suspension::asked;
}

// With the lock no collection is under way that waits for this thread. It is released before the thread
// stands still, and no handler runs in between.
void ThreadRegistry::stand_by_itself(ProcessThread& thread) {
  std::optional<base::SignalsBlocked> as_in_a_handler;
  {
    const std::lock_guard lock(mutex_);
    if (thread.suspension() != Suspension::put_off) return;
    as_in_a_handler.emplace(base::kAllSignals);
    begin_to_stand(thread, stack_pointer_below_registers());
  }
  await_resumption(thread);
}

void ThreadRegistry::handle_stop_signal(int, siginfo_t*, void* context) {
  ProcessThread* const thread = current();
  if (thread == nullptr) {
    // Relaxed: the number is all that is told.
    if (!OwnWork::is_under_way()) registry_->stranger_.store(gettid(), std::memory_order_relaxed);
    return;
  }
  const int error = errno;
  // Relaxed, both: see raise_depth.
  if (thread->critical_depth_.load(std::memory_order_relaxed) != 0) {
    thread->stop_pending_.store(true, std::memory_order_relaxed);
  } else {
    const auto* const interrupted = static_cast<const ucontext_t*>(context);
    stand_still(*thread, interrupted);
    registry_->answer_suspension(*thread, interrupted);
  }
  errno = error;
}

void ThreadRegistry::stand_still(ProcessThread& thread, const ucontext_t* interrupted) {
  // Relaxed: the thread's own word.
  JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) == 0);
  base::Stress::delay();
  base::FutexWord& epoch = registry_->stop_epoch_;
  base::FutexWord& running = registry_->still_running_;
  // Acquire: pairs with the release in stop_others, so that the count and the question below are this stop's.
  const std::uint32_t stop = epoch.value().load(std::memory_order_acquire);
  // Relaxed, both: the acquire above makes the question seen; the release below publishes the answer.
  std::uint32_t asked = thread.asked_stop_.load(std::memory_order_relaxed);
  if (stop % 2 == 0 || (asked != stop && asked != answered_for(stop))) return;
  if (asked == stop && thread.asked_stop_.compare_exchange_strong(asked, 0, std::memory_order_relaxed)) {
    thread.stack_.note(stack_pointer_below_registers(), interrupted);
    JACKDAW_PROBE1(stop_answered, thread.number_);
    if (registry_->trace_.is_on()) [[unlikely]]
      thread.answered_at_ = CollectionTrace::Clock::now();
    // Release: pairs with the acquire in wait_until_all_stand_still, so that the collector sees all that this
    // thread wrote.
    const std::uint32_t before = running.value().fetch_sub(1, std::memory_order_release);
    JACKDAW_CHECK(before != 0);
    if (before == 1) running.wake_all();
  }
  static_cast<void>(epoch.poll_while(stop, registry_->short_stops_.standing_time()));
  // Acquire: pairs with the release in let_others_go_on, so that this thread sees what the collector wrote.
  while (epoch.value().load(std::memory_order_acquire) == stop) epoch.wait(stop);
  // Relaxed, both: whoever sees the epoch sees what was written before it.
  std::atomic<bool>& wakes_others = registry_->one_wakes_others_;
  if (wakes_others.load(std::memory_order_relaxed) && wakes_others.exchange(false, std::memory_order_relaxed))
    epoch.wake_all();
}

bool ThreadRegistry::is_to_stop(ProcessThread* thread) {
  return thread != current() && !thread->is_blocked_ && !thread->is_gone_ &&
         thread->suspension() != Suspension::standing;
}

std::uint32_t ThreadRegistry::stop_others() {
  mutex_.lock();
  mutex_.let_nobody_pass();
  // Relaxed, all but the last: only the holder of the lock writes the epoch, and a thread that sees the
  // question before the odd epoch goes on, unanswered. Release: pairs with the acquire in stand_still.
  const std::uint32_t stop = stop_epoch_.value().load(std::memory_order_relaxed) + 1;
  JACKDAW_CHECK(stop % 2 != 0);
  std::uint32_t others = 0;
  for (ProcessThread* const thread : threads_) {
    if (!is_to_stop(thread)) continue;
    JACKDAW_PROBE1(stop_asked, thread->number_);
    if (trace_.is_on()) [[unlikely]]
      thread->asked_at_ = CollectionTrace::Clock::now();
    thread->asked_stop_.store(stop, std::memory_order_relaxed);
    ++others;
  }
  still_running_.value().store(others, std::memory_order_relaxed);
  stranger_.store(0, std::memory_order_relaxed);
  short_stops_.begin(others);
  stop_epoch_.value().store(stop, std::memory_order_release);
  if (!all_stop_by_themselves(others)) {
    for (ProcessThread* const thread : threads_) {
      if (is_to_stop(thread) && thread->asked_stop_.load(std::memory_order_relaxed) == stop)
        ask_to_stop(*thread);
    }
  }
  wait_until_all_stand_still();
  short_stops_.note_standing(ShortStops::Clock::now());
  forget_gone_threads();
  return others;
}

// A signal takes some 30 microseconds from core to core, a thread that allocates small objects comes to the
// end of a critical section within a few. Returns whether all did, so that nobody needs a signal.
bool ThreadRegistry::all_stop_by_themselves(std::uint32_t others) {
  if (others == 0) return true;
  const ShortStops::Clock::duration time = short_stops_.self_stopping_time();
  if (time == time.zero()) return false;
  // Relaxed: wait_until_all_stand_still reads it again.
  const bool do_all =
      base::poll_for(time, [this] { return still_running_.value().load(std::memory_order_relaxed) == 0; });
  short_stops_.note_self_stopping(do_all);
  return do_all;
}

// Asks the system each time: in a program that resets all signals, or handles this one, the stop signal would
// get lost, or end it.
bool ThreadRegistry::has_stop_signal() const {
  const std::optional<base::SignalAction> action = base::SignalAction::of(stop_signal());
  return !action || action->handler == handler_of_kernel_;
}

int ThreadRegistry::signal_for(const ProcessThread& thread) const {
  if (thread.needs_reserved_signal_) return ReservedSignal::kNumber;
  if (has_stop_signal()) return stop_signal();
  return ReservedSignal::share(handle_stop_signal) ? ReservedSignal::kNumber : stop_signal();
}

// Whether that was possible.
bool ThreadRegistry::ask_to_stop(ProcessThread& thread) {
  if constexpr (kStopsBySignal) {
    return signal_thread(thread, signal_for(thread));
  } else {
    // Release: pairs with the acquire in answer_pending_stop.
    thread.stop_pending_.store(true, std::memory_order_release);
    return signal_thread(thread, kNoSignal);
  }
}

// Whether it was sent, or the thread is found to be gone: one that used the heap again after it had
// unregistered at its end.
bool ThreadRegistry::signal_thread(ProcessThread& thread, int signal) {
  const auto send = [&] {
    return signal == ReservedSignal::kNumber ? ReservedSignal::send(thread.number_)
                                             : tgkill(getpid(), thread.number_, signal) == 0;
  };
  while (!send()) {
    if (errno == EAGAIN) {  // too many signals wait
      std::this_thread::yield();
      continue;
    }
    if (errno != ESRCH) return false;
    note_gone(thread);
    break;
  }
  return true;
}

// Relaxed, both: this thread itself waits for the count, and nobody answers any more. Where one thread is
// suspended, nothing is counted.
void ThreadRegistry::note_gone(ProcessThread& thread) {
  JACKDAW_CHECK(mutex_.is_held_by_caller() && &thread != current());
  thread.is_gone_ = true;
  if (thread.asked_stop_.exchange(0, std::memory_order_relaxed) != 0)
    still_running_.value().fetch_sub(1, std::memory_order_relaxed);
}

// Relaxed: see its writer.
void ThreadRegistry::look_for_strangers() {
  const pid_t stranger = stranger_.exchange(0, std::memory_order_relaxed);
  for (ProcessThread* const thread : threads_) {
    if (thread->number_ == stranger && is_unanswered(*thread)) note_gone(*thread);
  }
}

void ThreadRegistry::wait_until_all_stand_still() {
  Patience patience;
  std::uint32_t running = 0;
  // Acquire: pairs with the release in stand_still.
  while ((running = still_running_.value().load(std::memory_order_acquire)) != 0) {
    if (still_running_.poll_while(running, short_stops_.answering_time()))
      await_answers(still_running_, running, patience);
  }
}

// Until the word, which answers change, may not be `unwanted` any more. A thread that does not answer may be
// held up by the system or by a debugger: that alone ends nothing.
void ThreadRegistry::await_answers(base::FutexWord& word, std::uint32_t unwanted, Patience& patience) {
  constexpr std::chrono::milliseconds kFirstLook{10};
  constexpr std::chrono::milliseconds kLook{100};
  constexpr std::chrono::seconds kPatienceToWarning{5};
  const bool is_first_time = patience.waited == patience.waited.zero();
  const std::chrono::milliseconds time = is_first_time ? kFirstLook : kLook;
  if (word.wait_for(unwanted, time)) return;
  const Unanswered unanswered = ask_again(is_first_time);
  patience.blocked = unanswered.deaf != nullptr ? patience.blocked + time : patience.blocked.zero();
  if (unanswered.deaf != nullptr && patience_ != patience_.zero() && patience.blocked >= patience_)
    give_up(*unanswered.deaf);
  const bool was_patient = patience.waited < kPatienceToWarning;
  patience.waited += time;
  if (was_patient && patience.waited >= kPatienceToWarning)
    write_line("jackdaw: %u threads that are to stop do not answer signal %d\n", unanswered.count,
               stop_signal());
}

// Relaxed: a hint.
bool ThreadRegistry::is_unanswered(const ProcessThread& thread) {
  return thread.asked_stop_.load(std::memory_order_relaxed) % 2 != 0 ||
         thread.suspension() == Suspension::asked;
}

// Asks them once more. A thread that has answered meanwhile finds that nothing is asked.
ThreadRegistry::Unanswered ThreadRegistry::ask_again(bool is_first_time) {
  JACKDAW_CHECK(mutex_.is_held_by_caller());
  look_for_strangers();
  Unanswered unanswered;
  for (ProcessThread* const thread : threads_) {
    if (thread->is_gone_ || !is_unanswered(*thread)) continue;
    ++unanswered.count;
    if (!ask_otherwise(*thread, is_first_time)) unanswered.deaf = thread;
  }
  return unanswered;
}

// A thread may block the signal, or take it by sigwait(): then the reserved one does better. Whether there is
// hope: it gets the signal as soon as it runs, or did, and answers at a critical section's end.
bool ThreadRegistry::ask_otherwise(ProcessThread& thread, bool is_first_time) {
  const int signal = signal_for(thread);
  const std::optional<ThreadSignals> known = signals_of(thread.number_);
  if (!is_unanswered(thread)) return true;
  // Where nothing is known, the reserved signal does no harm.
  const ThreadSignals signals =
      known.value_or(ThreadSignals{.blocked = ~base::bit_of(ReservedSignal::kNumber)});
  const auto has = [](base::SignalBits set, int member) { return (set & base::bit_of(member)) != 0; };
  const bool is_blocked = has(signals.blocked, signal);
  // Relaxed: a hint; whoever finds it set answers.
  if (signals.is_traced || thread.stop_pending_.load(std::memory_order_relaxed) ||
      (has(signals.pending, signal) && !is_blocked))
    return true;
  // ThreadSanitizer keeps signals until the thread calls something that it knows, when the thread holds none
  // of its locks. One that calls nothing is stopped where it is.
  const bool may_be_kept = base::has_thread_sanitizer() && !is_blocked;
  if (may_be_kept && is_first_time) return true;
  const bool can_change = signal != ReservedSignal::kNumber &&
                          !has(signals.blocked, ReservedSignal::kNumber) &&
                          ReservedSignal::share(handle_stop_signal);
  if (can_change) thread.needs_reserved_signal_ = !may_be_kept;
  if (!can_change && is_blocked && (wakes_to_stop(thread) || stands_in_spawn(thread))) return true;
  if (can_change) return signal_thread(thread, ReservedSignal::kNumber);
  return ask_to_stop(thread) && !known;
}

// Whether the thread, which blocks all signals, sleeps in the queue for a lock: it wakes up, finds that it is
// to stop, and does. Relaxed: one that is only about to sleep is woken the next time. Where the lock is gone
// by now, so is its sleeper, and the system wakes nobody.
bool ThreadRegistry::wakes_to_stop(ProcessThread& thread) {
  base::FutexWord* const word = thread.sleeps_on_.load(std::memory_order_relaxed);
  if (word == nullptr) return false;
  word->wake_all();
  return true;
}

// Whether the thread, which blocks all signals, sleeps in posix_spawn() until the child has executed: as long
// as that takes. Then it is stopped. The C library's function has saved its caller's registers on the stack,
// the child runs the library's code alone and moves no references, and the first that the thread does in the
// program again is to take the signal. One that is to be suspended is waited for.
bool ThreadRegistry::stands_in_spawn(ProcessThread& thread) {
  const std::optional<std::uintptr_t> stack_pointer = stack_pointer_of_spawning(thread.number_);
  // Relaxed, all: what a thread wrote before it slept is seen by whoever the kernel told of that.
  if (!stack_pointer || thread.critical_depth_.load(std::memory_order_relaxed) != 0) return false;
  std::uint32_t asked = thread.asked_stop_.load(std::memory_order_relaxed);
  if (asked % 2 != 0 &&
      thread.asked_stop_.compare_exchange_strong(asked, answered_for(asked), std::memory_order_relaxed)) {
    thread.stack_.note_sleeping(*stack_pointer);
    thread.answered_at_ = CollectionTrace::Clock::now();
    still_running_.value().fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void ThreadRegistry::give_up(const ProcessThread& thread) const {
  write_line(
      "jackdaw: cannot stop thread %d, which has blocked signal %d, or taken it otherwise, and what else "
      "could stop it, for %lld seconds (JACKDAW_STOP_SECONDS)\n",
      thread.number_, stop_signal(), static_cast<long long>(patience_.count()));
  std::abort();
}

void ThreadRegistry::forget_gone_threads() {
  JACKDAW_CHECK(mutex_.is_held_by_caller());
  threads_.remove_if([](ProcessThread* thread) {
    const std::unique_ptr<ProcessThread> destroyed(thread->is_gone_ ? thread : nullptr);
    return destroyed != nullptr;
  });
}

void ThreadRegistry::resume_others() {
  resume_others_now();
  mutex_.unlock();
}

void ThreadRegistry::note_stops() {
  const CollectionTrace::Clock::time_point now = CollectionTrace::Clock::now();
  for (ProcessThread* const thread : threads_) {
    if (is_to_stop(thread)) trace_.add({thread->number_, thread->asked_at_, thread->answered_at_, now});
  }
}

void ThreadRegistry::resume_others_soon() {
  // Relaxed: the release of the epoch publishes it.
  one_wakes_others_.store(true, std::memory_order_relaxed);
  let_others_go_on();
  stop_epoch_.wake_one();
  mutex_.unlock();
}

void ThreadRegistry::resume_others_now() {
  let_others_go_on();
  stop_epoch_.wake_all();
}

void ThreadRegistry::let_others_go_on() {
  if (trace_.is_on()) [[unlikely]]
    note_stops();
  short_stops_.end(ShortStops::Clock::now());
  JACKDAW_CHECK(mutex_.is_held_by_caller());
  JACKDAW_CHECK(stop_epoch_.value().load(std::memory_order_relaxed) % 2 != 0);
  // Relaxed load: only the holder of the lock writes it. Release store: pairs with the acquire in
  // stand_still.
  stop_epoch_.value().store(stop_epoch_.value().load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
}

// While it exists, the calling thread is blocked, or is not; afterwards it is what it was.
class ThreadRegistry::BlockedState {
 public:
  BlockedState(ThreadRegistry& registry, bool is_blocked, std::uintptr_t stack_pointer)
      : registry_(registry),
        was_blocked_(current()->is_blocked_),
        previous_stack_pointer_(current()->stack_.pointer()) {
    registry_.set_blocked(is_blocked, stack_pointer);
  }
  ~BlockedState() { registry_.set_blocked(was_blocked_, previous_stack_pointer_); }
  BlockedState(const BlockedState&) = delete;
  BlockedState& operator=(const BlockedState&) = delete;

 private:
  ThreadRegistry& registry_;
  const bool was_blocked_;
  const std::uintptr_t previous_stack_pointer_;
};

void ThreadRegistry::set_blocked(bool is_blocked, std::uintptr_t stack_pointer) {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(current()->is_blocked_ != is_blocked);
  current()->stack_.note(stack_pointer);
  current()->is_blocked_ = is_blocked;
}

void ThreadRegistry::call_blocked(void (*function)(void*), void* argument) {
  std::optional<BlockedState> state;
  if (current() != nullptr && !current()->is_blocked_)
    state.emplace(*this, true, stack_pointer_below_registers());
  function(argument);
}

void ThreadRegistry::call_active(void (*function)(void*), void* argument) {
  std::optional<BlockedState> state;
  if (current() != nullptr && current()->is_blocked_)
    state.emplace(*this, false, current()->stack_.pointer());
  function(argument);
}

void ThreadRegistry::set_stack_end(ProcessThread& thread, std::uintptr_t end) {
  const NestedLock lock(mutex_);
  thread.stack_.set_end(end);
}

void ThreadRegistry::prepare_fork() {
  stop_others();
  // Relaxed: published by going on.
  sections_closed_.value().store(1, std::memory_order_relaxed);
  resume_others_now();
}

void ThreadRegistry::open_sections() {
  // Relaxed: nothing that they guard was changed meanwhile.
  sections_closed_.value().store(0, std::memory_order_relaxed);
  sections_closed_.wake_all();
}

void ThreadRegistry::after_fork_in_parent() {
  open_sections();
  mutex_.unlock();
}

void ThreadRegistry::after_fork_in_child() {
  for (ProcessThread* const thread : threads_) thread->is_gone_ = thread != current();
  forget_gone_threads();
  if (current() != nullptr) {
    current()->number_ = number_of_this_thread();
    current()->set_suspension(Suspension::none);
  }
  open_sections();
  mutex_.forget_queue();
  mutex_.unlock();
}

}  // namespace jackdaw::gc
