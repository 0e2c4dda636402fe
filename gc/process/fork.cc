#include "gc/process/fork.h"

#include <pthread.h>

#include "gc/process/threads/own_work.h"

namespace jackdaw::gc {

namespace {

// The handlers around every fork, which the forking thread calls.
class Handlers {
 public:
  static void prepare() {
    // If making the collector led to this fork, the lock is held already.
    waits_for_start_ = !ProcessCollector::starting().is_held_by_caller();
    if (!waits_for_start_) return;
    ProcessCollector::starting().lock();
    // The lock is held from here on, so handled() returns the same in all three handlers.
    if (ProcessCollector* const made = ProcessFork::handled()) ProcessFork::prepare(*made);
  }
  static void end_in_parent() {
    if (!waits_for_start_) return;
    if (ProcessCollector* const made = ProcessFork::handled()) ProcessFork::end_in_parent(*made);
    ProcessCollector::starting().unlock();
  }
  static void end_in_child() {
    if (!waits_for_start_) return;
    if (ProcessCollector* const made = ProcessFork::handled()) ProcessFork::end_in_child(*made);
    ProcessCollector::starting().forget_queue();
    ProcessCollector::starting().unlock();
  }

 private:
  static constinit thread_local bool waits_for_start_;
};

constinit thread_local bool Handlers::waits_for_start_ = false;

// The handlers are added when this code is loaded: a fork that is under way would not call one that is added
// meanwhile.
const bool kIsMissed = [] {
  const OwnWork own_work;
  return pthread_atfork(Handlers::prepare, Handlers::end_in_parent, Handlers::end_in_child) != 0;
}();

}  // namespace

bool ProcessFork::is_handled() { return !kIsMissed; }

ProcessCollector* ProcessFork::handled() {
  // Relaxed: written under the lock.
  ProcessCollector* const made = ProcessCollector::instance_.load(std::memory_order_relaxed);
  return made != nullptr && made->handles_fork_ ? made : nullptr;
}

// The locks are in the order in which threads take them.
template <typename Function>
void ProcessFork::for_each_lock(CollectorParts& parts, Function function) {
  for (StoppableMutex* const lock : parts.hooks.fork_locks) function(*lock);
  for (StoppableMutex* const lock :
       {&parts.lock, &parts.roots.static_data().mutex(), &parts.roots.persistents().mutex(),
        &parts.dead.weak_persistents().mutex(), &parts.marking.steps()})
    function(*lock);
}

// No collection is under way once the locks are held.
void ProcessFork::prepare(ProcessCollector& collector) {
  for_each_lock(collector.parts_, [](StoppableMutex& lock) { lock.lock(); });
  collector.parts_.threads.prepare_fork();
  OwnMemory::lock();
}

void ProcessFork::end_in_parent(ProcessCollector& collector) {
  OwnMemory::unlock();
  collector.parts_.threads.after_fork_in_parent();
  for_each_lock(collector.parts_, [](StoppableMutex& lock) { lock.unlock(); });
}

void ProcessFork::end_in_child(ProcessCollector& collector) {
  CollectorParts& parts = collector.parts_;
  OwnMemory::unlock_in_child();
  parts.engine.abandon();
  collector.cycle_.after_fork_in_child();
  parts.reports.after_fork_in_child();
  parts.heap.work_time().reset();
  parts.profiling.after_fork_in_child();
  parts.scavenger.after_fork_in_child();
  collector.inspection_.after_fork_in_child();
  collector.world_.after_fork_in_child();
  parts.plan.after_fork_in_child();
  parts.threads.after_fork_in_child();
  for_each_lock(parts, [](StoppableMutex& lock) {
    lock.forget_queue();
    lock.unlock();
  });
}

}  // namespace jackdaw::gc
