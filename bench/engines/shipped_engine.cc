// The lists of engines.h with the collector's own queue and victim policy alone, for builds with sanitizers.
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/engines/engines.h"
#include "bench/queues/choices.h"
#include "bench/victims/any.h"

namespace jackdaw::bench {

std::vector<std::string_view> engine_queues() { return {queue_name_or_default({})}; }
std::vector<std::string_view> engine_victims() { return {AnyVictim::names().front()}; }

bool serves_one_thread_alone(std::string_view /*queue*/) { return false; }

std::unique_ptr<gc::MarkEngine> make_engine(const EngineParts& parts, const gc::MarkingOptions& options) {
  for (const auto& [name, list] :
       {std::pair(parts.queue, engine_queues()), {parts.victim, engine_victims()}}) {
    if (!name.empty() && name != list.front())
      throw std::invalid_argument("'" + name + "' is not part of this build's only engine");
  }
  return gc::make_mark_engine(options);
}

}  // namespace jackdaw::bench
