#include "bench/engines/engines.h"

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include "bench/engines/with_queue.h"
#include "bench/queues/choices.h"
#include "bench/victims/any.h"
#include "gc/marking/mark_task.h"

namespace jackdaw::bench {

namespace {

struct QueueEntry {
  std::string_view name;
  bool serves_one_thread_alone;
  std::unique_ptr<gc::MarkEngine> (*make)(const gc::MarkingOptions& options, std::string_view victim);
};

template <typename... Choices>
std::vector<QueueEntry> entries_of(std::type_identity<std::tuple<Choices...>>) {
  return {{Choices::kName, !Choices::template Queue<gc::MarkTask>::kServesThieves,
           make_engine_with<typename Choices::template Queue<gc::MarkTask>>}...};
}

// Returns the entry of that name. Throws std::invalid_argument when there is none.
const QueueEntry& entry_of(std::string_view name) {
  static const std::vector<QueueEntry> kEntries = entries_of(std::type_identity<QueueChoices>{});
  name = queue_name_or_default(name);
  for (const QueueEntry& entry : kEntries) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument("unknown queue '" + std::string(name) + "'");
}

// Whether a name means the first of a list.
bool is_first(std::string_view name, const std::vector<std::string_view>& list) {
  return name.empty() || name == list.front();
}

}  // namespace

std::vector<std::string_view> engine_queues() { return names_of(std::type_identity<QueueChoices>{}); }
std::vector<std::string_view> engine_victims() { return AnyVictim::names(); }

bool serves_one_thread_alone(std::string_view queue) { return entry_of(queue).serves_one_thread_alone; }

std::unique_ptr<gc::MarkEngine> make_engine(const EngineParts& parts, const gc::MarkingOptions& options) {
  const bool is_collectors =
      is_first(parts.queue, engine_queues()) && is_first(parts.victim, engine_victims());
  return is_collectors ? gc::make_mark_engine(options) : entry_of(parts.queue).make(options, parts.victim);
}

}  // namespace jackdaw::bench
