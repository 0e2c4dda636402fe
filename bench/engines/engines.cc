#include "bench/engines/engines.h"

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include "bench/engines/with_queue.h"
#include "gc/marking/mark_task.h"
#include "mark/queue/choices.h"
#include "mark/victim/choices.h"

namespace jackdaw::bench {

namespace {

struct QueueEntry {
  std::string_view name;
  bool serves_one_thread_alone;
  gc::MarkingMaker make;
};

template <typename... Choices>
std::vector<QueueEntry> entries_of(std::type_identity<std::tuple<Choices...>>) {
  return {{Choices::kName, !Choices::template Queue<gc::MarkTask>::kServesThieves,
           make_engine_with<typename Choices::template Queue<gc::MarkTask>>}...};
}

// Throws std::invalid_argument when there is none of that name.
const QueueEntry& entry_of(std::string_view name) {
  static const std::vector<QueueEntry> kEntries = entries_of(std::type_identity<mark::QueueChoices>{});
  name = mark::name_or_default<mark::QueueChoices>(name);
  for (const QueueEntry& entry : kEntries) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument("unknown queue '" + std::string(name) + "'");
}

// Says whether the name meant the first choice, and if so empties it.
template <typename Choices>
bool takes_first(std::string& name) {
  if (mark::name_or_default<Choices>(name) != mark::name_or_default<Choices>({})) return false;
  name.clear();
  return true;
}

}  // namespace

std::vector<std::string_view> engine_queues() {
  return mark::names_of(std::type_identity<mark::QueueChoices>{});
}
std::vector<std::string_view> engine_victims() {
  return mark::names_of(std::type_identity<mark::VictimChoices>{});
}

bool serves_one_thread_alone(std::string_view queue) { return entry_of(queue).serves_one_thread_alone; }

std::unique_ptr<gc::Marking> make_engine(const gc::MarkingOptions& options) {
  gc::MarkingOptions of_collector = options;
  mark::Tuning& tuning = of_collector.engine.tuning;
  const bool is_collectors =
      takes_first<mark::QueueChoices>(tuning.queue) && takes_first<mark::VictimChoices>(tuning.victim);
  return is_collectors ? gc::make_marking(of_collector) : entry_of(options.engine.tuning.queue).make(options);
}

}  // namespace jackdaw::bench
