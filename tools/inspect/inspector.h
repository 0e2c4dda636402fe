// Inspector: asks a process on Jackdaw for its figures or for a heap dump.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "gc/report/inspection_page.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

/// One question to one process of this user, or, for root, of any. The answer is read from a page in shared
/// memory.
class Inspector {
 public:
  using Page = gc::InspectionPage;

  /// Sends the question. `pipe`: where a dump is to be written. Throws InputError when that is impossible.
  Inspector(const RunningProcess& process, Page::Wish wish, int pipe = -1);
  /// Withdraws it.
  ~Inspector();
  Inspector(const Inspector&) = delete;
  Inspector& operator=(const Inspector&) = delete;

  /// Waits until the process has answered, has ended or the time is over; returns whether it has answered.
  bool await_answer(std::chrono::milliseconds time);
  [[nodiscard]] Page page() const;
  /// Ends the process that holds the pipe open for another user's, if there is one.
  void end_agent();

 private:
  void start_agent(const RunningProcess& process, int pipe);
  bool write(const Page& page) const;
  void send() const;

  const pid_t process_;
  int file_ = -1;
  pid_t agent_;  // whose files are opened: this process, or one that root has put into the user's hands
};

}  // namespace jackdaw::tools
