// The work of a program whose operator new, or malloc, is one of the collector's functions: all of it, from
// before main on.
#pragma once

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "gc/process/threads/own_work.h"
#include "jackdaw/gc.h"

namespace replaced_allocation {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  static_cast<void>(std::fprintf(stderr, "%s\n", what));
  std::_Exit(1);
}

// Calls of the program's own allocation functions while a thread is in GC_init, or collects.
inline std::atomic<std::uint64_t> calls_in_collections{0};
inline thread_local bool collects = false;
inline thread_local int depth = 0;

/// Around each of them.
class Call {
 public:
  Call() {
    if (collects) calls_in_collections.fetch_add(1);
    if (++depth > 1) {
      expect(GC_is_init_called() == 0 || jackdaw::gc::OwnWork::is_under_way(),
             "a collector asks its own functions only where it says so");
    }
  }
  ~Call() { --depth; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

using Table = std::map<std::string, std::vector<int>>;

inline void fill(Table& table) {
  for (int i = 0; i < 2000; ++i)
    table["a longer name than a string has room for " + std::to_string(i)].assign(
        static_cast<std::size_t>(i % 50), i);
}

inline bool is_whole(const Table& table) {
  if (table.size() != 2000) return false;
  for (const auto& [name, numbers] : table) {
    const int i = std::stoi(name.substr(name.rfind(' ')));
    if (numbers != std::vector<int>(static_cast<std::size_t>(i % 50), i)) return false;
  }
  return true;
}

inline void churn() {
  Table table;
  fill(table);
  for (int i = 0; i < 20; ++i) {
    Table others;
    fill(others);
    GC_gcollect();
  }
  expect(is_whole(table), "what a thread holds is kept");
}

inline void* churn_in_a_thread(void*) {
  churn();
  return nullptr;
}

inline void collect_in_a_child(const Table& table) {
  const pid_t child = fork();
  if (child == 0) {
    churn();
    expect(is_whole(table), "what the parent held is kept in the child");
    std::_Exit(0);
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child && status == 0, "the child of a fork goes on");
}

inline Table filled() {
  Table table;
  fill(table);
  return table;
}
// Made before main.
inline const Table before_main = filled();

inline int run() {
  GC_INIT();
  expect(GC_is_init_called() == 1, "GC_INIT returns when all is done");
  GC_set_on_collection_event([](GC_EventType type) {
    if (type == GC_EVENT_START) collects = true;
    if (type == GC_EVENT_END) collects = false;
  });
  churn();
  // std::thread's state may be an object that nothing visible leads to yet.
  std::array<pthread_t, 4> threads{};
  for (pthread_t& thread : threads)
    expect(pthread_create(&thread, nullptr, churn_in_a_thread, nullptr) == 0, "a thread is made");
  collect_in_a_child(before_main);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  expect(is_whole(before_main), "what static data hold is kept");
  expect(GC_get_gc_no() >= 100, "collections came");
  expect(calls_in_collections.load() == 0, "a collection allocates nothing");
  GC_deinit();
  return 0;
}

}  // namespace replaced_allocation
