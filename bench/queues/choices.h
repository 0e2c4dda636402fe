// Queue choices: every queue by name, for engines and benchmarks. A new queue needs a header in this folder,
// a line here, a file in bench/engines/ that instantiates its engine, and an entry in
// tests/bench/queues/queue_kinds.h. The first is the default, and the collector's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bench/queues/abp.h"
#include "bench/queues/bwos_fifo.h"
#include "bench/queues/chase_lev.h"
#include "bench/queues/locked.h"
#include "bench/queues/sequential_fifo.h"
#include "bench/queues/sequential_lifo.h"
#include "mark/queue/bwos_lifo.h"

namespace jackdaw::bench {

/// A name as part of a type.
template <std::size_t kSize>
struct Name {
  char text[kSize]{};

  // The conversion is implicit, so that a literal can stand for a name.
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// A queue, which is a template over its tasks, with the name by which users select it.
template <Name name, template <typename> typename QueueTemplate>
struct QueueChoice {
  static constexpr std::string_view kName{name.text};
  template <typename Task>
  using Queue = QueueTemplate<Task>;
};

using QueueChoices =
    std::tuple<QueueChoice<"bwos-lifo", mark::BwosLifo>, QueueChoice<"bwos-fifo", BwosFifo>,
               QueueChoice<"abp", AbpDeque>, QueueChoice<"chase-lev", ChaseLevDeque>,
               QueueChoice<"locked", LockedDeque>, QueueChoice<"sequential-lifo", SequentialLifo>,
               QueueChoice<"sequential-fifo", SequentialFifo>>;

/// Returns all names, the default first.
template <typename... Choices>
std::vector<std::string_view> names_of(std::type_identity<std::tuple<Choices...>>) {
  return {Choices::kName...};
}

/// Returns `name`, or the default's when it is empty.
inline std::string_view queue_name_or_default(std::string_view name) {
  return name.empty() ? std::tuple_element_t<0, QueueChoices>::kName : name;
}

}  // namespace jackdaw::bench
