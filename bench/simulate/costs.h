// MachineCosts: the machine's costs of interaction between workers, in nanoseconds: the parameters of a
// simulation.
//
// The defaults stand for a current server processor; measure_machine_costs() (calibration.h) replaces them by
// this machine's, as far as it can measure them.
#pragma once

#include <array>
#include <string_view>

namespace jackdaw::bench {

/// All are in nanoseconds, except for the number of waits.
struct MachineCosts {
  double locked = 7;         ///< a locked read-modify-write of a line that the core has to itself
  double line = 95;          ///< a line that another core of the node wrote, if the worker waits for it
  double line_read = 11;     ///< such a line, read while others are under way
  double line_mark = 8;      ///< such a line, changed by a locked operation, beside that operation
  double ahead_read = 8;     ///< as line_read, for a line that was prefetched before
  double ahead_mark = 4;     ///< as line_mark, for a line that was prefetched before
  double remote_line = 140;  ///< as `line`, from another node
  double look = 6;           ///< a thief's choice of a victim and look at its unchanged queue
  double wake_call = 3000;   ///< a worker's call that wakes another
  double wake = 40000;       ///< from that call until the other one runs
  double wait = 700;         ///< of an idle worker that watches, between two polls
  double waits = 80;         ///< how often it waits before it sleeps
};

/// The name of a cost on the command line and in reports, and its meaning.
struct CostName {
  std::string_view name;
  double MachineCosts::*cost;
  std::string_view help;
};

inline constexpr std::array<CostName, 12> kMachineCosts{{
    {"locked", &MachineCosts::locked, "a locked operation on a line that the core has to itself"},
    {"line", &MachineCosts::line, "a line that another core of the same node wrote, waited for"},
    {"line-read", &MachineCosts::line_read, "the same, read while others are on their way"},
    {"line-mark", &MachineCosts::line_mark, "the same, for a locked operation, beside that"},
    {"ahead-read", &MachineCosts::ahead_read, "as line-read, asked for ahead"},
    {"ahead-mark", &MachineCosts::ahead_mark, "as line-mark, asked for ahead"},
    {"remote-line", &MachineCosts::remote_line, "a line that a core of another node wrote; never measured"},
    {"look", &MachineCosts::look, "a thief's choice of a victim and look at its queue"},
    {"wake-call", &MachineCosts::wake_call, "what it takes a worker to wake another"},
    {"wake", &MachineCosts::wake, "from then until the other runs"},
    {"wait", &MachineCosts::wait, "one wait of an idle worker that watches the others"},
    {"waits", &MachineCosts::waits, "how many such waits before it sleeps"},
}};

/// The costs of a kind of queue, in nanoseconds.
struct QueueCosts {
  double push_pop = 1.5;         ///< a push and its pop
  double steal = 20;             ///< an undisturbed steal, without the lines that it waits for
  double contended_steal = 100;  ///< an attempt that is lost to another thief
};

}  // namespace jackdaw::bench
