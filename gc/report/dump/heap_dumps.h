// HeapDumps: when and where collections write dumps of the heap.
//
// A child that is forked while the program is stopped writes the file, so that the pause is only as long as a
// fork takes. The child sends no signal when it ends, and no wait() of the program sees it: the next
// collection checks on it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/close_files.h"
#include "base/own_file.h"
#include "base/signals_blocked.h"
#include "gc/report/dump/dump_file.h"
#include "gc/report/dump/dump_stream.h"

namespace jackdaw::gc {

/// The dumps of one collector. With its lock, unless a function says otherwise.
class HeapDumps {
 public:
  /// `patience`: how long a child may be idle; 0: for ever.
  explicit HeapDumps(std::chrono::seconds patience) : patience_(patience) {}

  /// `path`: the path of dumps, in which %p becomes the process's number, %n the collection's, and %% a %.
  /// `signal`: the one after which the next collection writes a dump, and which this handles; 0: each
  /// collection does. None does while another dump is written.
  void set(std::string path, int signal);
  /// Loads the compressor. Not with a lock that an allocating thread may want.
  static void load_compressor();
  /// Makes the next collection write a dump to `path`, even while another is written.
  void request_at(std::string path) { asked_for_ = std::move(path); }

  /// Opens a file, if the collection with that number is to write a dump, before the program is stopped.
  /// Calls malloc. A failure gives a line on the error output, once for all dumps that were not requested.
  void prepare(std::uint64_t collection);
  /// To be called after each prepare(), when the threads run again. Calls malloc.
  void release();
  [[nodiscard]] bool is_prepared() const { return stream_ != nullptr; }
  /// Forks while the program is stopped, and calls `write(DumpStream&)` in the child, which returns whether
  /// all was written. The child has no file of the program's open but its error output and `kept`: a
  /// connection ends for its other side although the child still writes.
  template <typename Write>
  void fork_and_write(Write write, int kept = -1) {
    const base::SignalsBlocked guard(base::kAllSignals);
    const pid_t child = fork_child();
    if (child != 0) return at_hand_.note_child(child);
    leave_signals_to_system();
    base::close_all_but(std::array{STDERR_FILENO, opened_.number(), kept});
    opened_.wait_for_reader();
    end_child(write(*stream_));
  }
  /// Whether a dump that was left to its child is still being written.
  bool is_left_one_written();
  /// Leaves the requested dump to its child, which the next collection checks on. No other one is left.
  /// Returns whether there is a child.
  bool leave_requested() {
    left_ = take_requested();
    return left_.has_child();
  }
  /// Returns the requested dump, which the thread that takes it awaits without the lock.
  [[nodiscard]] DumpFile take_requested() { return std::exchange(requested_, {}); }
  [[nodiscard]] std::chrono::seconds patience() const { return patience_; }

 private:
  bool begin();
  void drop_stream();
  static pid_t fork_child();
  static void leave_signals_to_system();
  [[noreturn]] void end_child(bool is_whole);
  [[nodiscard]] bool is_wanted();

  enum class When : std::uint8_t { never, at_signal, at_each_collection };
  static std::atomic<bool> is_requested_;

  When when_ = When::never;
  std::chrono::seconds patience_;
  std::string path_;
  std::string asked_for_;  // for one dump; empty: none is requested
  // These describe the present dump, from prepare() to release(), while stream_ is not null.
  bool is_on_request_ = false;
  base::OwnFile opened_;
  DumpFile at_hand_;
  DumpStream* stream_ = nullptr;
  // Children write these dumps.
  DumpFile requested_;
  DumpFile unrequested_;
  DumpFile left_;
  bool has_failed_ = false;  // of the last dump that was not requested
};

}  // namespace jackdaw::gc
