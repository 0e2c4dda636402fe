// HeapDumps: when a collection leaves a dump of the heap, and where.
//
// The file is written by a child that is forked while the program is stopped, so that the pause is as long as
// a fork takes. The child sends no signal when it ends, and no wait() of the program sees it: the next
// collection looks after it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/own_file.h"
#include "base/signals_blocked.h"
#include "gc/report/dump/dump_file.h"
#include "gc/report/dump/dump_stream.h"

namespace jackdaw::gc {

/// The dumps of one collector. With its lock, where nothing else is said.
class HeapDumps {
 public:
  /// `patience`: how long a child may do nothing; 0: for ever.
  explicit HeapDumps(std::chrono::seconds patience) : patience_(patience) {}

  /// `path`: of the files; in it %p becomes the process's number, %n that of the collection, %% a %.
  /// `signal`: the next collection leaves one; 0: all do. None does while another is written. Takes the
  /// signal.
  void set(std::string path, int signal);
  /// For the files to be compressed. With no lock that an allocating thread may want.
  static void load_compressor();
  /// The next collection leaves a dump there, even while another is written.
  void request_at(std::string path) { asked_for_ = std::move(path); }

  /// Before the program stands still for the collection with that number: opens a file, if one is to be left.
  /// Calls malloc. A failure gives a line on the error output, once for all dumps that were not requested.
  void prepare(std::uint64_t collection);
  /// When the threads run again, after each prepare(). Calls malloc.
  void release();
  [[nodiscard]] bool is_prepared() const { return stream_ != nullptr; }
  /// While the program stands still: forks, and calls `write(DumpStream&)`, which says whether all was
  /// written, in the child.
  template <typename Write>
  void fork_and_write(Write write) {
    const base::SignalsBlocked guard(base::kAllSignals);
    const pid_t child = fork_child();
    if (child != 0) return at_hand_.note_child(child);
    leave_signals_to_system();
    opened_.wait_for_reader();
    end_child(write(*stream_));
  }
  /// The requested dump: the thread that takes it awaits it, without the lock.
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
  std::string asked_for_;  // once; empty: not asked for
  // The dump at hand, from prepare() to release(), where stream_ is not null.
  bool is_on_request_ = false;
  base::OwnFile opened_;
  DumpFile at_hand_;
  DumpStream* stream_ = nullptr;
  // The dumps that children write.
  DumpFile requested_;
  DumpFile unrequested_;
  bool has_failed_ = false;  // the last one that was not requested
};

}  // namespace jackdaw::gc
