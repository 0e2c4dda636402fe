#include "gc/marking/mark_engine.h"

#include "gc/marking/mark_engine_with.h"
#include "machine/topology.h"
#include "machine/usable_processors.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/victim/numa_probabilistic.h"

namespace jackdaw::gc {

std::unique_ptr<MarkEngine> make_mark_engine(const MarkingOptions& options) {
  return make_mark_engine_with<mark::BwosLifo<MarkTask>, mark::NumaProbabilisticVictim>(options);
}

bool depends_on_machine(const MarkingOptions& options) {
  if (options.engine.threads < 2 || !options.engine.nodes.empty()) return false;
  const bool binds = options.binding == machine::Binding::node || options.binding == machine::Binding::core;
  return binds || machine::Topology::may_have_several_nodes();
}

mark::MarkerOptions on_this_machine(const MarkingOptions& options) {
  mark::MarkerOptions engine = options.engine;
  if (engine.processors == 0 && engine.threads > 1) engine.processors = machine::usable_processors();
  if (!depends_on_machine(options)) return engine;
  const machine::Topology& machine = machine::Topology::machine();
  engine.nodes = machine.nodes_of_workers(engine.threads);
  engine.node_distances.assign(machine.distances().begin(), machine.distances().end());
  const machine::Binding binding = machine.resolved(options.binding);
  if (binding != machine::Binding::none && machine.is_this_machine() && !engine.on_helper_start) {
    engine.on_helper_start = [&machine, binding, homes = machine.homes_of_workers(engine.threads)](
                                 std::uint32_t worker) { machine.bind_this_thread(homes[worker], binding); };
  }
  return engine;
}

}  // namespace jackdaw::gc
