#include "tools/topology/topology_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "machine/topology.h"
#include "tools/command/named_values.h"
#include "tools/command/output_file.h"
#include "tools/command/threads_option.h"
#include "tools/topology/topology_report.h"

namespace jackdaw::tools {

TopologyCommand::TopologyCommand(CLI::App& app)
    : Command(app, "topology", "Print the processors and memory that Jackdaw sees"),
      binding_(machine::kBindings.front().first) {
  command_->footer(
      "Examples:\n"
      "  jackdaw topology --threads 8 --bind core\n"
      "  HWLOC_SYNTHETIC='numa:4 core:4 pu:1' jackdaw topology\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_
      ->add_option("--threads", threads_,
                   "Mark threads to show the places of: a number, or auto for one a usable processor")
      ->capture_default_str();
  command_->add_option("--bind", binding_, "What mark threads are tied to")
      ->check(CLI::IsMember(names_in(machine::kBindings)))
      ->capture_default_str();
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

int TopologyCommand::run() {
  const std::uint32_t threads = parse_threads(threads_);
  std::optional<OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  const MachineReport report =
      describe_machine(machine::Topology::machine(), threads, *machine::parse_binding(binding_));
  if (json) json->commit(machine_to_json(report));
  fmt::print("{}", format_machine(report));
  return 0;
}

}  // namespace jackdaw::tools
