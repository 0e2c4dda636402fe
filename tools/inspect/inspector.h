// Inspector: asks a process on Jackdaw for its figures, for a heap dump or for a profile.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string_view>

#include "gc/report/inspection_page.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

/// Asks one process of this user, or, for root, of any. The answer is read from a page in shared memory.
class Inspector {
 public:
  using Page = gc::InspectionPage;

  /// Sends a question: a wish, and what belongs to it. Throws InputError when that is impossible.
  Inspector(const RunningProcess& process, Page question);
  /// Withdraws what was asked.
  ~Inspector();
  Inspector(const Inspector&) = delete;
  Inspector& operator=(const Inspector&) = delete;

  /// Asks the same process for more, when all that was asked before has been done. Throws InputError.
  void ask_again(Page::Wish wish);
  /// Waits until the process has answered, has ended or the time is over; returns whether it has answered.
  bool await_answer(std::chrono::milliseconds time);
  /// Waits, for `patience` at most, until a thread of the process does what was asked, and returns how far it
  /// is: State::begun, complete or failed. `deed` says what it is to do, as "write the dump". Tells people
  /// that wait why. Throws InputError when the process does not come to it.
  Page::State await_begin(std::string_view deed, std::chrono::duration<double> patience);
  [[nodiscard]] Page page() const;
  /// Ends the process that holds the pipe open for another user's, if there is one.
  void end_agent();

 private:
  explicit Inspector(pid_t process);
  void start_agent(const RunningProcess& process, int pipe);
  void check_running(std::string_view deed) const;
  bool write(const Page& page) const;
  void send() const;

  const pid_t process_;
  int file_ = -1;
  pid_t agent_;  // whose files are opened: this process, or one that root has put into the user's hands
};

}  // namespace jackdaw::tools
