// When a thread sleeps in the system: the only way to know from outside that it waits for a lock.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace jackdaw::gc {

/// Whether the thread sleeps that has this number of the system's.
inline bool sleeps(pid_t number) {
  std::ifstream file("/proc/self/task/" + std::to_string(number) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.at(line.rfind(')') + 2) == 'S';
}

/// Returns when the thread sleeps whose number, the system's, it has put into `number`.
inline void wait_until_it_sleeps(const std::atomic<pid_t>& number) {
  while (number.load() == 0 || !sleeps(number.load())) std::this_thread::yield();
}

}  // namespace jackdaw::gc
