// HeapDumps: when a collection leaves a dump of the heap, and where.
//
// The file is written by a child that is forked while the program stands still, so that the pause is as long
// as a fork takes. The child sends no signal when it ends, and no wait() of the program sees it. What it
// writes gets its name when it is whole.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/signals_blocked.h"
#include "gc/dump/dump_stream.h"

namespace jackdaw::gc {

/// Of one collector. With its lock, where nothing else is said.
class HeapDumps {
 public:
  /// `path`: of the files; in it %p becomes the process's number, %n that of the collection, %% a %.
  /// `signal`: collections that come after it leave one; 0: all do, but not while another is written. Takes
  /// the signal.
  void set(std::string path, int signal);
  /// For the files to be compressed. With no lock that an allocating thread may want.
  static void load_compressor();
  /// The next collection leaves a dump there.
  void request_at(std::string path) { asked_for_ = std::move(path); }

  /// The time in which the collection with that number may leave a dump. From before the program stands
  /// still: opens a file, if one is to be left, and calls malloc. What fails is told in a line on the error
  /// output.
  class Preparation {
   public:
    Preparation(HeapDumps& dumps, std::uint64_t collection) : dumps_(dumps) { dumps_.prepare(collection); }
    ~Preparation() { dumps_.release(); }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

   private:
    HeapDumps& dumps_;
  };
  [[nodiscard]] bool is_prepared() const { return stream_ != nullptr; }
  /// While the program stands still: forks, and calls `write(DumpStream&)`, which says whether all was
  /// written, in the child.
  template <typename Write>
  void fork_and_write(Write write) {
    const base::SignalsBlocked guard(base::kAllSignals);
    child_ = fork_child();
    if (child_ != 0) return;
    leave_signals_to_system();
    end_child(write(*stream_));
  }
  /// Waits until a dump is written. Whether its file is there. Without the lock.
  [[nodiscard]] static bool await(pid_t child);
  /// The child that writes the last one: whoever takes it awaits it.
  [[nodiscard]] pid_t take_child() { return std::exchange(child_, -1); }

 private:
  void prepare(std::uint64_t collection);
  void release();
  static pid_t fork_child();
  static void leave_signals_to_system();
  [[noreturn]] void end_child(bool is_whole);
  [[nodiscard]] bool is_wanted();
  [[nodiscard]] bool is_another_under_way();

  enum class When : std::uint8_t { never, at_signal, at_each_collection };
  static std::atomic<bool> is_requested_;

  When when_ = When::never;
  std::string path_;
  std::string asked_for_;  // once; empty: not asked for
  std::string name_;       // of the file at hand
  std::string part_name_;  // while it is written
  DumpStream* stream_ = nullptr;
  pid_t child_ = -1;
};

}  // namespace jackdaw::gc
