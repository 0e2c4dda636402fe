// Wrappers of the thread library's functions: gc.h, section 19.
//
// While no stack holds them, a thread's function, its argument, and later its result may be the only
// references to objects. They are kept in a record, an uncollectable object, from before the thread is
// created until it was joined, or has ended detached.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>

#include "base/futex_word.h"
#include "gc/c/own_locks.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/process/process_kinds.h"
#include "gc/process/threads/stop_signal.h"

namespace jackdaw::c_interface {

namespace {

struct ThreadRecord {
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  // The lock of the records guards these:
  ThreadRecord* next = nullptr;
  pthread_t handle{};
  bool is_detached = false;
  bool has_ended = false;
};

/// The records of threads that are not joined yet. Any thread.
class ThreadRecords {
 public:
  void add(ThreadRecord* record, pthread_t handle) {
    const std::lock_guard lock(own_locks.thread_records);
    record->handle = handle;
    record->next = first_;
    first_ = record;
  }
  /// Returns the thread's record, or null.
  ThreadRecord* find(pthread_t handle) {
    const std::lock_guard lock(own_locks.thread_records);
    ThreadRecord* record = first_;
    while (record != nullptr && pthread_equal(record->handle, handle) == 0) record = record->next;
    return record;
  }
  /// Notes that the thread will not be joined. Returns whether it has ended: the record must then be removed.
  bool detach(ThreadRecord* record) {
    const std::lock_guard lock(own_locks.thread_records);
    record->is_detached = true;
    return record->has_ended;
  }
  /// Notes that the thread has ended. Returns whether it will not be joined: the record must then be removed.
  bool end(ThreadRecord* record) {
    const std::lock_guard lock(own_locks.thread_records);
    record->has_ended = true;
    return record->is_detached;
  }
  void remove(ThreadRecord* record) {
    {
      const std::lock_guard lock(own_locks.thread_records);
      ThreadRecord** link = &first_;
      while (*link != record) link = &(*link)->next;
      *link = record->next;
    }
    registered_collector().free(record);
  }

 private:
  ThreadRecord* first_ = nullptr;
};

constinit ThreadRecords records;
constinit thread_local ThreadRecord* own_record = nullptr;

// The report of a new thread to its creator.
enum Report : std::uint32_t { waiting, registered, without_memory };
struct Birth {
  ThreadRecord* record;
  std::size_t stack_bytes;
  base::FutexWord report;
};

// Ends the thread's record when the thread ends: by return, by pthread_exit or cancelled.
class EndOfThread {
 public:
  explicit EndOfThread(ThreadRecord* record) : record_(record) {}
  ~EndOfThread() {
    own_record = nullptr;
    if (records.end(record_)) records.remove(record_);
  }
  EndOfThread(const EndOfThread&) = delete;
  EndOfThread& operator=(const EndOfThread&) = delete;

 private:
  ThreadRecord* const record_;
};

// The waiting thread may return as soon as it reads the word, and its frame is gone then. Waking a word that
// is gone wakes no thread.
void report(base::FutexWord& word, Report what) {
  // Release: pairs with the acquire in GC_pthread_create.
  word.value().store(what, std::memory_order_release);
  word.wake_all();
}

// The new thread may wait for a collection before it reports, so the caller waits as a blocked thread.
Report wait_for_report(base::FutexWord& word) {
  const auto wait = [](void* report) {
    auto& reported = *static_cast<base::FutexWord*>(report);
    // Acquire: pairs with the release in report.
    while (reported.value().load(std::memory_order_acquire) == waiting) reported.wait(waiting);
  };
  collector().threads().call_blocked(wait, &word);
  // Relaxed: it was read above with acquire.
  return static_cast<Report>(word.value().load(std::memory_order_relaxed));
}

// A thread that joins another is blocked, so that collections do not wait for it.
int join_blocked(pthread_t thread, void** result) {
  struct Join {
    pthread_t thread;
    void** result;
    int error;
  } join{thread, result, 0};
  const auto wait = [](void* argument) {
    auto& joined = *static_cast<Join*>(argument);
    joined.error = pthread_join(joined.thread, joined.result);
  };
  collector().threads().call_blocked(wait, &join);
  return join.error;
}

void* run_thread(void* argument) {
  auto& birth = *static_cast<Birth*>(argument);
  ThreadRecord* const record = birth.record;
  try {
    collector().threads().register_current({}, birth.stack_bytes);
  } catch (const std::exception&) {
    pthread_detach(pthread_self());  // if it is not yet
    report(birth.report, without_memory);
    return nullptr;
  }
  own_record = record;
  const EndOfThread end(record);
  records.add(record, pthread_self());
  report(birth.report, registered);
  record->result = record->function(record->argument);
  return record->result;
}

// Returns the record of a thread to be created, or null when there is no memory.
ThreadRecord* new_record(const pthread_attr_t* attributes) {
  void* memory = nullptr;
  try {
    memory = collector().allocate(sizeof(ThreadRecord), gc::ProcessKinds::kUncollectableWords);
  } catch (const std::bad_alloc&) {  // the calling thread could not be registered
  }
  if (memory == nullptr) return nullptr;
  auto* const record = new (memory) ThreadRecord;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  record->is_detached = state == PTHREAD_CREATE_DETACHED;
  return record;
}

// The bytes of the stack that a thread with these attributes gets; 0 when the library does not tell.
std::size_t stack_bytes_of(const pthread_attr_t* attributes) {
  std::size_t bytes = 0;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &bytes);
    return bytes;
  }
  pthread_attr_t defaults;
  if (pthread_getattr_default_np(&defaults) != 0) return 0;
  pthread_attr_getstacksize(&defaults, &bytes);
  pthread_attr_destroy(&defaults);
  return bytes;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int GC_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                      void* argument) {
  Birth birth{new_record(attributes), stack_bytes_of(attributes), {}};
  if (birth.record == nullptr) return EAGAIN;
  birth.record->function = function;
  birth.record->argument = argument;
  const int error = pthread_create(thread, attributes, run_thread, &birth);
  if (error != 0) {
    registered_collector().free(birth.record);
    return error;
  }
  if (wait_for_report(birth.report) == registered) return 0;
  registered_collector().free(birth.record);
  return EAGAIN;
}

int GC_pthread_join(pthread_t thread, void** result) {
  ThreadRecord* const record = records.find(thread);
  const int error = join_blocked(thread, result);
  if (error == 0 && record != nullptr) records.remove(record);
  return error;
}

int GC_pthread_detach(pthread_t thread) {
  ThreadRecord* const record = records.find(thread);
  const int error = pthread_detach(thread);
  if (error == 0 && record != nullptr && records.detach(record)) records.remove(record);
  return error;
}

void GC_pthread_exit(void* result) {
  if (own_record != nullptr) own_record->result = result;
  pthread_exit(result);
}

int GC_pthread_cancel(pthread_t thread) { return pthread_cancel(thread); }

int GC_pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  if (set == nullptr || how == SIG_UNBLOCK) return pthread_sigmask(how, set, old);
  const sigset_t allowed = gc::StopSignal::removed_from(*set);
  return pthread_sigmask(how, &allowed, old);
}

// This needs no care: a collection walks the loaded objects, and stops the threads, while the loader is
// locked.
void* GC_dlopen(const char* path, int flags) { return dlopen(path, flags); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
