#include "gc/marking.h"

#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "gc/object_model.h"
#include "mark/choices.h"
#include "mark/termination/any.h"
#include "mark/topology.h"
#include "mark/victim/any.h"

namespace jackdaw::gc {

namespace {

template <typename Queue>
class MarkingWith final : public Marking {
 public:
  explicit MarkingWith(const mark::MarkerOptions& options) : marker_(options) {}

  void rouse_helpers() override { marker_.rouse_helpers(); }
  bool mark(const heap::BlockMap& map, std::span<heap::Object* const> roots,
            std::span<const MarkTask> revisits) override {
    HeapObjectModel model(map);
    return marker_.mark(model, roots, revisits);
  }
  [[nodiscard]] std::span<const mark::WorkerStatistics> statistics() const override {
    return marker_.statistics();
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return marker_.worker_count(); }
  [[nodiscard]] std::size_t memory_bytes() const override { return marker_.memory_bytes(); }

 private:
  mark::Marker<HeapObjectModel, Queue, mark::AnyVictim, mark::AnyTerminator> marker_;
};

// function.operator()<Queue>() for the queue of that name; an empty name means the default.
template <typename Function, typename... Choices>
auto with_queue(std::string_view name, Function function, std::type_identity<std::tuple<Choices...>>) {
  name = mark::name_or_default<mark::QueueChoices>(name);
  decltype((function.template operator()<typename Choices::template Queue<MarkTask>>(), ...)) result{};
  const bool found =
      ((name == Choices::kName &&
        (result = function.template operator()<typename Choices::template Queue<MarkTask>>(), true)) ||
       ...);
  if (!found) throw std::invalid_argument("unknown queue '" + std::string(name) + "'");
  return result;
}

constexpr std::type_identity<mark::QueueChoices> kQueues;

// The engine's options, with where the workers are at home.
mark::MarkerOptions on_this_machine(const MarkingOptions& options) {
  mark::MarkerOptions engine = options.engine;
  if (!depends_on_machine(options)) return engine;
  const mark::Topology& machine = mark::Topology::machine();
  engine.nodes = machine.nodes_of_workers(engine.threads);
  engine.node_distances.assign(machine.distances().begin(), machine.distances().end());
  const mark::Binding binding = machine.resolved(options.binding);
  if (binding != mark::Binding::none && machine.is_this_machine() && !engine.on_helper_start) {
    engine.on_helper_start = [&machine, binding, homes = machine.homes_of_workers(engine.threads)](
                                 std::uint32_t worker) { machine.bind_this_thread(homes[worker], binding); };
  }
  return engine;
}

}  // namespace

std::vector<std::string_view> queue_names() { return mark::names_of(kQueues); }
std::vector<std::string_view> victim_names() {
  return mark::names_of(std::type_identity<mark::VictimChoices>{});
}
std::vector<std::string_view> termination_names() {
  return mark::names_of(std::type_identity<mark::TerminatorChoices>{});
}

bool serves_one_thread_alone(std::string_view queue) {
  return with_queue(
      queue, []<typename Queue>() { return !Queue::kServesThieves; }, kQueues);
}

bool depends_on_machine(const MarkingOptions& options) {
  if (options.engine.threads < 2 || !options.engine.nodes.empty()) return false;
  const bool binds = options.binding == mark::Binding::node || options.binding == mark::Binding::core;
  return binds || mark::Topology::may_have_several_nodes();
}

std::unique_ptr<Marking> make_marking(const MarkingOptions& options) {
  const mark::MarkerOptions engine = on_this_machine(options);
  return with_queue(
      options.queue,
      [&]<typename Queue>() -> std::unique_ptr<Marking> {
        return std::make_unique<MarkingWith<Queue>>(engine);
      },
      kQueues);
}

}  // namespace jackdaw::gc
