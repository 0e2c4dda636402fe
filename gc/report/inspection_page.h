// InspectionPage: what a process on Jackdaw and another one that inspects it (`jackdaw ps`, `jackdaw dump`,
// `jackdaw profile`) tell each other.
//
// The inspector makes a file in memory, writes a page into it, and sends the other process SIGURG with the
// file's number. The handler opens that file by /proc, which the kernel allows to the inspector's own user
// alone, and answers in the page. A process that nobody inspects has no file, thread or memory for it, and
// SIGURG does nothing to one that does not handle it.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

struct InspectionPage {
  static constexpr std::uint64_t kMagic = 0x3243'5053'4e49'444a;  // the text "JDINSPC2"

  enum class Wish : std::uint32_t {
    figures,
    dump,
    start_profile,
    end_profile,  ///< and write it
  };
  /// The states follow each other in this order.
  enum class State : std::uint32_t {
    asked,      ///< by the inspector
    answered,   ///< the figures are there
    queued,     ///< so are they, and what else is wished will be done
    begun,      ///< the pipe is open, and a child is to write the dump
    complete,   ///< all has been done
    failed,     ///< it could not be done
    withdrawn,  ///< the inspector no longer waits
  };

  std::uint64_t magic = kMagic;
  std::int32_t inspected = 0;  ///< the process that is asked
  Wish wish = Wish::figures;
  State state = State::asked;
  std::int32_t pipe = -1;  ///< the inspector's number of the file that a dump or a profile is written to
  std::uint64_t sample_every = 0;  ///< bytes between two samples of the profile
  std::uint64_t profile_ns = 0;    ///< how long samples are taken

  // --- The figures, of all collections so far ---

  std::uint64_t collections = 0;
  std::uint64_t heap_bytes = 0;
  std::uint64_t live_bytes = 0;  ///< that the last collection found
  std::uint64_t longest_pause_ns = 0;
  std::uint64_t all_pauses_ns = 0;
  std::uint64_t processor_ns = 0;  ///< the collector's processor time; 0: not known just now
};

/// The mark of a program or library that contains a collector which answers: an ELF note, which remains in
/// stripped and static programs.
struct InspectionNote {
  static constexpr const char* kName = "Jackdaw";
  static constexpr std::uint32_t kType = 1;
};

}  // namespace jackdaw::gc
