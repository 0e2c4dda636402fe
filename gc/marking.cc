#include "gc/marking.h"

#include <stdexcept>
#include <tuple>

#include "gc/object_model.h"
#include "mark/choices.h"

namespace jackdaw::gc {

namespace {

template <typename Choices>
struct NamesOf;
template <typename... Choice>
struct NamesOf<std::tuple<Choice...>> {
  static std::vector<std::string_view> list() { return {Choice::kName...}; }
};

// Calls function.operator()<Choice>() for the choice of that name; an empty name means the first.
template <typename Choices>
struct ByName;
template <typename... Choice>
struct ByName<std::tuple<Choice...>> {
  template <typename Function>
  static auto call(std::string_view what, std::string_view name, Function function) {
    decltype(function.template operator()<std::tuple_element_t<0, std::tuple<Choice...>>>()) result;
    if (name.empty()) name = std::tuple_element_t<0, std::tuple<Choice...>>::kName;
    const bool found =
        ((name == Choice::kName && (result = function.template operator()<Choice>(), true)) || ...);
    if (!found) throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(name) + "'");
    return result;
  }
};

template <typename Queue, typename Victim>
class MarkingWith final : public Marking {
 public:
  explicit MarkingWith(const mark::MarkerOptions& options) : marker_(options) {}

  bool mark(std::span<heap::Object* const> roots, std::span<const MarkTask> revisits) override {
    return marker_.mark(model_, roots, revisits);
  }
  [[nodiscard]] std::span<const mark::WorkerStatistics> statistics() const override {
    return marker_.statistics();
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return marker_.worker_count(); }
  [[nodiscard]] std::size_t memory_bytes() const override { return marker_.memory_bytes(); }

 private:
  HeapObjectModel model_;
  mark::Marker<HeapObjectModel, Queue, Victim> marker_;
};

}  // namespace

std::vector<std::string_view> queue_names() { return NamesOf<mark::QueueChoices>::list(); }
std::vector<std::string_view> victim_names() { return NamesOf<mark::VictimChoices>::list(); }

std::unique_ptr<Marking> make_marking(const MarkingOptions& options) {
  return ByName<mark::QueueChoices>::call("queue", options.queue, [&]<typename QueueChoice>() {
    using Queue = typename QueueChoice::template Queue<MarkTask>;
    return ByName<mark::VictimChoices>::call("victim policy", options.victim, [&]<typename VictimChoice>() {
      return std::unique_ptr<Marking>(
          std::make_unique<MarkingWith<Queue, typename VictimChoice::Victim>>(options.engine));
    });
  });
}

}  // namespace jackdaw::gc
