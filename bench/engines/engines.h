// Engines: marking engines whose queue and victim policy are chosen by name, for comparison.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gc/marking/mark_engine.h"
#include "mark/marker_options.h"

namespace jackdaw::bench {

/// The names of an engine's parts; an empty one means the first of its list.
struct EngineParts {
  std::string queue;   ///< one of engine_queues()
  std::string victim;  ///< one of engine_victims()
};

/// The names of the queues and of the victim policies; the first of each is the collector's. Builds with
/// sanitizers have no others (shipped_engine.cc).
std::vector<std::string_view> engine_queues();
std::vector<std::string_view> engine_victims();
/// Whether the queue of that name is for one thread only: such queues are the bounds of concurrent ones.
bool serves_one_thread_alone(std::string_view queue);

/// The names of when owners grant; the first is the default.
inline constexpr std::array<std::pair<std::string_view, mark::Grant>, 2> kGrants{
    {{"early", mark::Grant::early}, {"full", mark::Grant::full}}};

/// Makes an engine of these parts: with the first of each it is the collector's own. Throws
/// std::invalid_argument for a name that is not in the lists, a number out of range, and several threads with
/// a queue for one, and std::bad_alloc.
std::unique_ptr<gc::MarkEngine> make_engine(const EngineParts& parts, const gc::MarkingOptions& options);
/// Returns a function that makes an engine of these parts, for the options of a collector.
inline gc::MarkEngineMaker maker_of(EngineParts parts) {
  return
      [parts = std::move(parts)](const gc::MarkingOptions& options) { return make_engine(parts, options); };
}

}  // namespace jackdaw::bench
