#include "bench/mark_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/baseline/choices.h"
#include "bench/graph/graph_spec.h"
#include "bench/input_error.h"
#include "bench/mark_report.h"
#include "bench/named_values.h"
#include "bench/output_file.h"
#include "gc/marking.h"
#include "gc/memory_placement.h"
#include "mark/queue/block_ring.h"
#include "mark/usable_processors.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint32_t kMaximumThreads = 1024;
constexpr std::uint32_t kMaximumRuns = 10'000'000;
constexpr std::size_t kMaximumStealBatch = 65536;

std::string footer() {
  std::string text = "GRAPH is one of\n";
  for (const GraphKind& kind : graph_kinds()) text += fmt::format("  {:<22} {}\n", kind.form, kind.help);
  text +=
      "\nExamples:\n"
      "  jackdaw mark tree:21 --threads 2\n"
      "  jackdaw mark hprof:heap.hprof.gz --threads auto --baseline boehm --verify --json result.json\n"
      "\nExit status: 0; 1 when --verify finds a difference; 2 when the input is bad.\n";
  return text;
}

gc::MemoryPlacement parse_memory(const std::string& text) {
  const auto placement = gc::parse_memory_placement(text);
  if (!placement) throw InputError(fmt::format("--memory '{}': must be {}", text, gc::kMemoryPlacementForms));
  try {
    gc::memory_nodes(*placement);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--memory '{}': {}", text, error.what()));
  }
  return *placement;
}

std::vector<std::string> strings(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

}  // namespace

MarkCommand::MarkCommand(CLI::App& app) {
  const std::vector<std::string> queues = strings(gc::queue_names());
  const std::vector<std::string> victims = strings(gc::victim_names());
  const std::vector<std::string> detectors = strings(gc::termination_names());
  mark::MarkerOptions& engine = options_.marking.engine;
  options_.marking.queue = queues.front();
  engine.victim = victims.front();
  engine.termination = detectors.front();

  CLI::App* const command =
      app.add_subcommand("mark", "Mark a heap graph in parallel, repeatedly, and say how fast");
  command->footer(footer());
  command->add_option("GRAPH", options_.graph, "The heap to mark, such as tree:21 or hprof:FILE")->required();
  command->add_option("--threads", threads_, "Mark threads: a number, or auto for one a usable processor")
      ->capture_default_str();
  command->add_option("--queue", options_.marking.queue, "Task queue of each worker")
      ->check(CLI::IsMember(queues))
      ->capture_default_str();
  command->add_option("--victim", engine.victim, "How a thief chooses its victim")
      ->check(CLI::IsMember(victims))
      ->capture_default_str();
  command->add_option("--termination", engine.termination, "How the workers find out that all is done")
      ->check(CLI::IsMember(detectors))
      ->capture_default_str();
  command->add_option("--backoff", backoff_, "How idle workers wait")
      ->check(CLI::IsMember(names_in(mark::kBackoffKinds)))
      ->capture_default_str();
  command
      ->add_option("--grant", grant_,
                   "What hungry thieves are given: early (also a part of a block) or full blocks alone")
      ->check(CLI::IsMember(names_in(mark::kGrants)))
      ->capture_default_str();
  command->add_option("--bind", binding_, "What mark threads but the first are tied to")
      ->check(CLI::IsMember(names_in(mark::kBindings)))
      ->capture_default_str();
  command
      ->add_option("--memory", memory_, "Memory nodes of the heap: " + std::string(gc::kMemoryPlacementForms))
      ->capture_default_str();
  command->add_flag("--mail", engine.mail,
                    "Send tasks to the memory node of their object, where the heap lies on several");
  command->add_option("--steal-batch", engine.steal_batch, "Tasks that a thief takes at once, at most")
      ->check(CLI::Range(std::size_t{1}, kMaximumStealBatch))
      ->capture_default_str();
  command
      ->add_option(
          "--alone", engine.alone_references,
          "References that the first worker follows before it wakes others, one by one as it has work "
          "for them; 0: all start at once")
      ->capture_default_str();
  command->add_option("--blocks", engine.blocks, "Blocks of each queue")
      ->check(CLI::Range(mark::BlockRing::kMinimumBlockCount, mark::BlockRing::kMaximumBlockCount))
      ->capture_default_str();
  command->add_option("--block-size", engine.block_size, "Tasks of each block")
      ->check(CLI::Range(std::size_t{1}, mark::BlockRing::kMaximumBlockSize))
      ->capture_default_str();
  command->add_option("--repeat", options_.repeat, "Measured runs")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumRuns))
      ->capture_default_str();
  command->add_option("--warmup", options_.warmup, "Runs before the measured ones")
      ->check(CLI::Range(std::uint32_t{0}, kMaximumRuns))
      ->capture_default_str();
  command->add_flag("--verify", options_.verify,
                    "Compare the marked objects with a serial traversal after every run");
  command
      ->add_option_function<std::string>(
          "--baseline", [this](const std::string& list) { options_.baselines = parse_baselines(list); },
          "Time others on the same graph in turn with ours: " + baseline_choices())
      ->type_name("LIST");
  command->add_flag(
      "--limit", options_.limit,
      "Read as many cache lines as the marked objects have after every run: what no marking can beat");
  command->add_flag(
      "--bounds", options_.bounds,
      "Measure work, span, time, steals and space beside the theory's bounds, with runs of each "
      "power of two of workers up to --threads");
  command->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
  command->add_option("--seed", engine.seed, "Seed of random graphs and of the victim choice")
      ->capture_default_str();
  command
      ->add_option("--object-bytes", options_.object_bytes,
                   "Least size of a synthetic graph's objects, in bytes")
      ->capture_default_str();
}

int MarkCommand::run() {
  options_.marking.engine.threads = parse_threads(threads_);
  options_.marking.engine.backoff = value_of(mark::kBackoffKinds, backoff_);
  options_.memory = parse_memory(memory_);
  options_.marking.binding = value_of(mark::kBindings, binding_);
  options_.marking.engine.grant = value_of(mark::kGrants, grant_);
  if (options_.marking.engine.threads > 1 && gc::serves_one_thread_alone(options_.marking.queue)) {
    throw InputError(fmt::format("--queue {} with {} threads: it serves one thread alone; add --threads 1",
                                 options_.marking.queue, options_.marking.engine.threads));
  }
  std::optional<OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);

  const MarkReport report = run_mark_experiment(options_);
  if (json) json->commit(to_json(report));
  fmt::print("{}", format_tables(report));
  for (const std::string& difference : report.differences) fmt::print(stderr, "jackdaw: {}\n", difference);
  return report.all_correct() ? 0 : 1;
}

std::uint32_t parse_threads(const std::string& text) {
  if (text == "auto") return mark::usable_processors();
  std::uint32_t threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads == 0 || threads > kMaximumThreads) {
    throw InputError(
        fmt::format("--threads '{}': must be a whole number from 1 to {}, or auto", text, kMaximumThreads));
  }
  return threads;
}

}  // namespace jackdaw::bench
