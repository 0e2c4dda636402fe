#include "bench/mark/mark_command.h"
#include "bench/engines/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/baseline/choices.h"
#include "bench/conservative/collector_functions.h"
#include "bench/mark/conservative_report.h"
#include "bench/mark/mark_report.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/memory_placement.h"
#include "mark/queue/block_ring.h"
#include "tools/command/input_error.h"
#include "tools/command/named_values.h"
#include "tools/command/output_file.h"
#include "tools/command/seed_option.h"
#include "tools/command/threads_option.h"
#include "tools/graph/graph_spec.h"
#include "tools/report/report_page.h"
#include "tools/report/results.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint32_t kMaximumRuns = 10'000'000;
constexpr std::size_t kLargestStealBatch = 65536;

// The value of --interface for objects that are allocated through the C interface.
constexpr std::string_view kConservative = "c";
// With that interface, only these options apply.
constexpr std::array<std::string_view, 14> kConservativeOptions = {
    "GRAPH",      "--interface", "--displacements", "--threads", "--repeat", "--warmup", "--verify",
    "--baseline", "--libgc",     "--limit",         "--json",    "--report", "--seed",   "--object-bytes"};

std::string footer() {
  std::string text = "GRAPH is one of\n";
  for (const tools::GraphKind& kind : tools::graph_kinds())
    text += fmt::format("  {:<22} {}\n", kind.form, kind.help);
  text +=
      "\nExamples:\n"
      "  jackdaw mark tree:21 --threads 2\n"
      "  jackdaw mark ordered:4000000,4 --interface c --displacements 3 --threads 1 --baseline boehm\n"
      "  jackdaw mark hprof:heap.hprof.gz --threads auto --baseline boehm --verify --json result.json\n"
      "\nExit status: 0; 1 when --verify finds a difference; 2 when the input is bad.\n";
  return text;
}

gc::MemoryPlacement parse_memory(const std::string& text) {
  try {
    return gc::parse_memory_placement(text);
  } catch (const std::invalid_argument& error) {
    throw tools::InputError(fmt::format("--memory '{}': {}", text, error.what()));
  }
}

}  // namespace

MarkCommand::MarkCommand(CLI::App& app)
    : Command(app, "mark", "Mark a heap graph in parallel, repeatedly, and say how fast") {
  command_->footer(footer());
  command_->add_option("GRAPH", options_.graph, "The heap to mark, such as tree:21 or hprof:FILE")
      ->required();
  add_engine_options();
  add_tuning_options();
  add_measuring_options();
  add_object_options();
}

void MarkCommand::add_engine_options() {
  const std::vector<std::string> queues = tools::strings(engine_queues());
  const std::vector<std::string> victims = tools::strings(engine_victims());
  options_.parts.queue = queues.front();
  options_.parts.victim = victims.front();
  command_->add_option("--threads", threads_, "Mark threads: a number, or auto for one a usable processor")
      ->capture_default_str();
  command_->add_option("--queue", options_.parts.queue, "Task queue of each worker")
      ->check(CLI::IsMember(queues))
      ->capture_default_str();
  command_->add_option("--victim", options_.parts.victim, "How a thief chooses its victim")
      ->check(CLI::IsMember(victims))
      ->capture_default_str();
  command_
      ->add_option("--grant", grant_,
                   "What idle thieves are given: early (also a part of a block) or full blocks alone")
      ->check(CLI::IsMember(tools::names_in(kGrants)))
      ->capture_default_str();
}

void MarkCommand::add_tuning_options() {
  mark::MarkerOptions& engine = options_.marking.engine;
  command_->add_option("--bind", binding_, "What mark threads but the first are tied to")
      ->check(CLI::IsMember(tools::names_in(machine::kBindings)))
      ->capture_default_str();
  command_
      ->add_option("--memory", memory_, "Memory nodes of the heap: " + std::string(gc::kMemoryPlacementForms))
      ->capture_default_str();
  command_
      ->add_option("--steal-batch", engine.tuning.steal_batch, "Tasks that a thief takes at once, at most")
      ->check(CLI::Range(std::size_t{1}, kLargestStealBatch))
      ->capture_default_str();
  command_
      ->add_option(
          "--serial", engine.tuning.serial_references,
          "References that the first worker follows before it wakes others, one by one as it has work "
          "for them; 0: all start at once")
      ->capture_default_str();
  command_->add_option("--blocks", engine.tuning.blocks, "Blocks of each queue")
      ->check(CLI::Range(mark::BlockRing::kMinimumBlockCount, mark::BlockRing::kMaximumBlockCount))
      ->capture_default_str();
  command_->add_option("--block-size", engine.tuning.block_size, "Tasks of each block")
      ->check(CLI::Range(std::size_t{1}, mark::BlockRing::kMaximumBlockSize))
      ->capture_default_str();
}

void MarkCommand::add_measuring_options() {
  command_->add_option("--repeat", options_.repeat, "Measured runs")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumRuns))
      ->capture_default_str();
  command_->add_option("--warmup", options_.warmup, "Runs before the measured ones")
      ->check(CLI::Range(std::uint32_t{0}, kMaximumRuns))
      ->capture_default_str();
  command_->add_flag("--verify", options_.verify,
                     "Compare the marked objects with a serial traversal after every run");
  command_
      ->add_option_function<std::string>(
          "--baseline", [this](const std::string& list) { options_.baselines = parse_baselines(list); },
          "Time others on the same graph in turn with ours: " + baseline_choices())
      ->type_name("LIST");
  command_
      ->add_option("--libgc", options_.libgc_folder,
                   "The folder whose libgc.so.1, in it or in its folder lib, --baseline boehm takes (the "
                   "system's)")
      ->type_name("DIR");
  command_->add_flag(
      "--limit", options_.limit,
      "After every run read as many cache lines as the marked objects have, which no marking can beat, and "
      "run a plain mark loop of one thread, the bound that can be reached (with --interface c that alone)");
  command_->add_flag(
      "--bounds", options_.bounds,
      "Measure work, span, time, steals and space beside the theory's bounds, with runs of each "
      "power of two of workers up to --threads");
  command_->add_flag("--time-line", options_.time_line,
                     "Note what each worker does, and when, in a run of its own, for --json and --report");
}

void MarkCommand::add_object_options() {
  command_
      ->add_option(
          "--interface", interface_,
          "Objects that tell where their references are (typed), or allocated through the C interface "
          "and searched word by word (c)")
      ->check(CLI::IsMember({std::string("typed"), std::string(kConservative)}))
      ->capture_default_str();
  command_
      ->add_option("--displacements", displacements_,
                   "With --interface c: all interior pointers off and so many displacements registered, in "
                   "libgc, too; references use them")
      ->check(CLI::Range(0U, kMostDisplacements));
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
  command_
      ->add_option("--report", report_path_,
                   "Write a report of the results to this file, too: charts and tables, in HTML (see jackdaw "
                   "report)")
      ->type_name("FILE");
  tools::add_seed_option(*command_, options_.marking.engine.seed,
                         "Seed of random graphs and of the victim choice");
  command_
      ->add_option("--object-bytes", options_.object_bytes,
                   "Least size of a synthetic graph's objects, in bytes")
      ->capture_default_str();
}

int MarkCommand::run() {
  check_libgc();
  if (interface_ == kConservative) return run_and_report(run_conservative_experiment, conservative_options());
  return run_and_report(run_mark_experiment, typed_options());
}

// This is checked before a heap is built in vain.
void MarkCommand::check_libgc() const {
  const bool beside_libgc =
      std::ranges::find(options_.baselines, BaselineKind::boehm) != options_.baselines.end();
  if (beside_libgc) libgc_functions(options_.libgc_folder);
  if (!beside_libgc && command_->count("--libgc") > 0)
    throw tools::InputError("--libgc: chooses what --baseline boehm runs; add that, or leave this out");
}

MarkExperimentOptions MarkCommand::typed_options() const {
  if (displacements_)
    throw tools::InputError(
        "--displacements: typed objects are never searched for addresses; add --interface c");
  MarkExperimentOptions options = options_;
  options.time_line = options.time_line || !report_path_.empty();
  options.marking.engine.threads = tools::parse_threads(threads_);
  options.memory = parse_memory(memory_);
  options.marking.binding = *machine::parse_binding(binding_);
  options.marking.make = maker_of(options.parts);
  options.marking.engine.tuning.grant = tools::value_of(kGrants, grant_);
  if (options.marking.engine.threads > 1 && serves_one_thread_alone(options.parts.queue)) {
    throw tools::InputError(
        fmt::format("--queue {} with {} threads: it serves one thread alone; add --threads 1",
                    options.parts.queue, options.marking.engine.threads));
  }
  return options;
}

ConservativeExperimentOptions MarkCommand::conservative_options() const {
  for (const CLI::Option* const option : command_->get_options()) {
    if (option->count() > 0 &&
        std::ranges::find(kConservativeOptions, option->get_name()) == kConservativeOptions.end())
      throw tools::InputError(fmt::format(
          "{}: goes with typed objects alone; with --interface c leave it out", option->get_name()));
  }
  ConservativeExperimentOptions options;
  for (const BaselineKind kind : options_.baselines) {
    if (kind != BaselineKind::boehm)
      throw tools::InputError(
          fmt::format("--baseline {}: marks typed objects alone; with --interface c it takes boehm",
                      tools::name_of(kBaselineKinds, kind)));
    options.beside_libgc = true;
  }
  options.graph = options_.graph;
  options.setting = {tools::parse_threads(threads_), displacements_};
  options.object_bytes = options_.object_bytes;
  options.seed = options_.marking.engine.seed;
  options.repeat = options_.repeat;
  options.warmup = options_.warmup;
  options.verify = options_.verify;
  options.libgc_folder = options_.libgc_folder;
  options.limit = options_.limit;
  return options;
}

template <typename Experiment, typename Options>
int MarkCommand::run_and_report(Experiment experiment, const Options& options) const {
  std::optional<tools::OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  std::optional<tools::OutputFile> page;
  if (!report_path_.empty()) page.emplace("--report", report_path_);
  if (page) tools::require_report_page();

  const auto report = experiment(options);
  if (json) json->commit(to_json(report));
  if (page) page->commit(tools::report_page(tools::results_of(to_json(report), options.graph)));
  fmt::print("{}", format_tables(report));
  for (const std::string& difference : report.differences) fmt::print(stderr, "jackdaw: {}\n", difference);
  return report.all_correct() ? 0 : 1;
}

}  // namespace jackdaw::bench
