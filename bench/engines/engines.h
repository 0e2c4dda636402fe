// Engines: marking engines whose queue and victim policy are chosen by name, so that they can be compared.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gc/marking/marking.h"

namespace jackdaw::bench {

/// The names of the queues and of the victim policies; the first of each is the collector's.
std::vector<std::string_view> engine_queues();
std::vector<std::string_view> engine_victims();
/// Whether the queue of that name is for one thread alone: the bounds that concurrent queues are held
/// against.
bool serves_one_thread_alone(std::string_view queue);

/// A gc::MarkingMaker: makes the engine that the options' tuning names; an empty name means the first. With
/// the first of each it is the collector's own. Throws std::invalid_argument for a name that is not in the
/// lists, a number out of range, and several threads with a queue for one, and std::bad_alloc.
std::unique_ptr<gc::Marking> make_engine(const gc::MarkingOptions& options);

}  // namespace jackdaw::bench
