// When a thread sleeps in the system: the only way to know from outside that it waits for a lock.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace jackdaw::gc {

/// Returns when the thread sleeps whose number, the system's, it has put into `number`.
inline void wait_until_it_sleeps(const std::atomic<pid_t>& number) {
  const auto sleeps = [&] {
    if (number.load() == 0) return false;
    std::ifstream file("/proc/self/task/" + std::to_string(number.load()) + "/stat");
    std::string line;
    std::getline(file, line);
    return line.at(line.rfind(')') + 2) == 'S';
  };
  while (!sleeps()) std::this_thread::yield();
}

}  // namespace jackdaw::gc
