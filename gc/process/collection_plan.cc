#include "gc/process/collection_plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "heap/layout.h"

namespace jackdaw::gc {

namespace {

// A cycle that was not asked for must promise pauses that are kLeastTimesShorter times shorter if the program
// allocates little in it, else kManyTimesShorter times. It takes kTimesLonger times as long as a collection
// that stops the program, with as many mark threads.
constexpr int kLeastTimesShorter = 10;
constexpr int kManyTimesShorter = 20;
constexpr double kTimesLonger = 2;
// A cycle is to be over when kMostTimesLater times the growing budget is allocated, however large the heap: a
// slow cycle, in which the heap grew, must not make later ones rare.
constexpr std::uint64_t kMostTimesLater = 3;
std::uint64_t most_of_cycle(std::uint64_t all, std::uint64_t growing) {
  return growing > all / kMostTimesLater ? all : kMostTimesLater * growing;
}

}  // namespace

CollectionPlan::CollectionPlan(const ProcessOptions& options, heap::Heap& heap,
                               const CyclePermission& permission, ConcurrentMarking& concurrent,
                               const MarkingOnDemand& engine, const DeadObjects& dead,
                               const ProcessHooks& hooks, ProcessCounters& counters, CollectionTrace& trace)
    : heap_(heap),
      permission_(permission),
      concurrent_(concurrent),
      engine_(engine),
      dead_(dead),
      hooks_(hooks),
      counters_(counters),
      trace_(trace),
      processors_(options.marking.engine.processors),
      most_concurrent_markers_(options.concurrent_markers != 0
                                   ? options.concurrent_markers
                                   : std::max(1U, options.marking.engine.processors / 4)),
      growth_(options.growth) {}

void CollectionPlan::set_budget(std::uint64_t more) {
  const std::uint64_t allocated = heap_.allocated_bytes();
  const auto or_more = [&](std::uint64_t planned) {
    return more == 0 || allocated < planned ? planned : allocated + more;
  };
  const Budgets planned = planned_budgets();
  heap_.budget().set(or_more(planned.all), or_more(planned.while_growing), growth_.minimum_heap(found_));
  // The next thread that needs memory ends the marking.
  if (concurrent_.phase() == ConcurrentMarking::Phase::marked) heap_.budget().set(0);
}

void CollectionPlan::apply_growth() {
  apply_finalizers();
  set_budget();
}

// The budget stays: it may be spent, and a collection due.
void CollectionPlan::apply_finalizers() {
  heap_.budget().set_growth_threshold(growth_.growth_threshold(dead_.new_finalizers()));
}

bool CollectionPlan::grant_for_uncounted(std::size_t bytes) {
  const std::uint64_t now = uncounted_bytes();
  const std::uint64_t grown = now - std::min(now, uncounted_before_);
  if (std::exchange(found_.new_uncounted_bytes, grown) >= grown ||
      reason_of_refusal(bytes) != CollectionReason::out_of_memory)
    return false;
  set_budget();
  return true;
}

CollectionReason CollectionPlan::reason_of_refusal(std::size_t bytes) const {
  return reason_of_refusal(bytes, growth_.budget_while_growing(found_));
}

CollectionReason CollectionPlan::reason_of_refusal_in_cycles(std::size_t bytes) {
  return reason_of_refusal(bytes, planned_budgets().while_growing);
}

// `budget` is what may be allocated before the heap grows.
CollectionReason CollectionPlan::reason_of_refusal(std::size_t bytes, std::uint64_t budget) const {
  if (is_asked_) return CollectionReason::pressure;
  if (heap_.allocated_bytes() + std::max(bytes, heap::kBlockBytes) > budget)
    return CollectionReason::allocation;
  return !growth_.grows_only_when_it_must && heap_.budget().grows_too_early()
             ? CollectionReason::finalizers
             : CollectionReason::out_of_memory;
}

// When memory is exhausted, a collection that finds none comes again only when there may be garbage that was
// not there before: an eighth of what is live was allocated since, or else, since objects may have been
// dropped all the same, after 1, 2, 4, 8 and so on refusals.
bool CollectionPlan::is_worth_a_collection(CollectionReason reason) const {
  if (reason != CollectionReason::out_of_memory || may_collect_more()) return true;
  return has_allocated_much() || std::has_single_bit(refusals_);
}

bool CollectionPlan::has_allocated_much() const {
  constexpr std::uint64_t kWorthwhilePart = 8;
  return heap_.allocated_bytes() > counters_.live_bytes() / kWorthwhilePart;
}

// Allocation beyond the budget triggers no collection of its own.
void* CollectionPlan::attempt_beyond_budget(const AllocationRequest& request) {
  const heap::BeyondBudget beyond_budget;
  void* const object = request.attempt();
  apply_finalizers();
  set_budget(growth_.minimum_budget_bytes);
  return object;
}

void CollectionPlan::note_refused(std::size_t bytes) {
  const Budgets planned = planned_budgets();
  const std::uint64_t allocated = heap_.allocated_bytes();
  const std::uint64_t wanted = allocated + std::max(bytes, heap::kBlockBytes);
  if (wanted > planned.while_growing && wanted <= planned.all)
    pacing_.note_memory_ended(allocated, growth_.budget(found_));
}

bool CollectionPlan::ask_for_collection() {
  if (is_cycle_under_way() || is_disabled() || !growth_.collects_by_itself || !has_allocated_much())
    return false;
  is_asked_ = true;
  set_budget();
  return true;
}

bool CollectionPlan::is_due() { return heap_.allocated_bytes() + heap::kBlockBytes > planned_budgets().all; }

bool CollectionPlan::is_next_concurrent() {
  const std::chrono::milliseconds tolerated = concurrent_.tolerated_stop();
  const std::uint64_t live = counters_.live_bytes();
  const std::uint64_t allocated = std::max(heap_.allocated_bytes(), growth_.budget_while_growing(found_));
  if (permission_.is_granted()) return pacing_.takes_longer(tolerated, live, allocated);
  // A target of 0 is for programs that ask: no pause is so short.
  const std::chrono::milliseconds promised =
      std::max(concurrent_.pause_target(), std::chrono::milliseconds(1));
  const auto makes_shorter = [&](int times) {
    return pacing_.surely_takes_longer(std::max(tolerated, times * promised), live, allocated);
  };
  if (!permission_.may_come_unasked() || !makes_shorter(kLeastTimesShorter)) return false;
  const double fewer = std::max(1.0, static_cast<double>(engine_.thread_count()) / most_concurrent_markers_);
  return makes_shorter(kManyTimesShorter) ||
         pacing_.allocates_little(Clock::now(), heap_.allocated_bytes(), kTimesLonger * fewer);
}

// Returns the budgets that a collection which stops the program would wait for.
CollectionPlan::Budgets CollectionPlan::planned_budgets() {
  if (is_asked_) return {0, 0};
  const std::uint64_t all = growth_.budget(found_);
  const std::uint64_t growing = growth_.budget_while_growing(found_);
  if (growing == std::numeric_limits<std::uint64_t>::max()) return {all, growing};
  const std::uint64_t most = most_of_cycle(all, growing);
  if (concurrent_.phase() == ConcurrentMarking::Phase::marking)
    return {pacing_.until_now(std::min(all, std::max(most, pacing_.begun_at()))), pacing_.until_now(growing)};
  if (!is_next_concurrent()) return {all, growing};
  // Where the heap may not become larger, a cycle must begin before that is noticed.
  const std::uint64_t limit = heap_.limit();
  const std::uint64_t used = found_.live_bytes + found_.floating_bytes;
  const std::uint64_t room = std::max(growth_.minimum_budget_bytes, limit - std::min(limit, used));
  const std::uint64_t beginning = pacing_.until_beginning(std::min(growing, room));
  const std::uint64_t late = pacing_.until_beginning(std::min(most, room));
  return {std::clamp(pacing_.until_beginning_within(std::min(all, room)), beginning, late), beginning};
}

void CollectionPlan::note(const CollectionTotals& result, CollectionReason reason, std::uint64_t root_bytes) {
  if (reason == CollectionReason::request) refusals_ = 0;
  is_asked_ = false;
  found_.live_bytes = result.live_bytes;
  found_.unscanned_bytes = result.unscanned_bytes;
  found_.root_bytes = root_bytes;
  found_.heap_bytes = heap_.bytes();
  found_.new_uncounted_bytes = 0;
  note_allocating_threads();
  found_.floating_bytes = 0;
  uncounted_before_ = uncounted_bytes();
  apply_growth();
}

// Counts no more threads than have a processor, and no more but the first than the heap's limit has room for.
void CollectionPlan::note_allocating_threads() {
  constexpr std::uint64_t kLimitOfThread = std::uint64_t{16} << 20;
  const std::uint64_t most = std::min<std::uint64_t>(processors_, 1 + heap_.limit() / kLimitOfThread);
  found_.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(heap_.busy_allocators(), most));
}

void CollectionPlan::note_stopped(Clock::time_point start, Clock::duration pause, std::uint64_t live_before,
                                  std::uint64_t allocated) {
  const std::uint64_t live = counters_.live_bytes();
  cost_.note(start - pacing_.last_end(), pause);
  found_.cost = cost_.level();
  pacing_.note_allocated(start, start + pause, allocated);
  pacing_.note_stopped(pause, live);
  pacing_.note_live(live_before, allocated, live);
  found_.is_growing = live > live_before + allocated - allocated / 4;
  set_budget();
}

void CollectionPlan::note_cycle_begins(std::uint64_t root_bytes) {
  is_asked_ = false;
  found_.root_bytes = root_bytes;
  // All room counts again: without it, the program would wait for the cycle's end.
  found_.heap_bytes = heap_.bytes();
  pacing_.begin(heap_.allocated_bytes());
  // The cycle is the collection that the threshold asks for.
  if (!growth_.grows_only_when_it_must) heap_.budget().set_growth_threshold(0);
}

void CollectionPlan::note_cycle(Clock::time_point start, Clock::duration pause, std::uint64_t allocated) {
  pacing_.note_allocated(start, start + pause, allocated);
  if (pacing_.is_failure(pause, counters_.live_bytes())) pacing_.note_failed();
  is_sweep_unnoted_ = true;
}

void CollectionPlan::note_swept() {
  if (!std::exchange(is_sweep_unnoted_, false)) return;
  const std::uint64_t live = heap_.swept().live_bytes;
  pacing_.note_swept(counters_.live_bytes(), live);
  // Objects that were allocated during this marking may be dead. Those that were allocated before it, since
  // the last marking began, tell whether the heap is being built.
  const std::uint64_t judged = found_.floating_bytes + pacing_.begun_at();
  const std::uint64_t known = pacing_.known_live(live);
  found_.is_growing = known > found_.live_bytes + judged - judged / 4;
  found_.live_bytes = known;
  found_.floating_bytes = live - known;
  found_.unscanned_bytes = heap_.swept().unscanned_bytes;
  note_allocating_threads();
  found_.heap_bytes = heap_.bytes();
  counters_.set_live_bytes(live);
  trace_.count(TraceCounter::live, live);
  apply_growth();
}

void CollectionPlan::limit_room(std::uint64_t heap_bytes) {
  if (heap_bytes >= found_.heap_bytes || is_cycle_under_way()) return;
  found_.heap_bytes = heap_bytes;
  set_budget();
}

void CollectionPlan::after_fork_in_child() {
  found_.threads = 1;
  is_sweep_unnoted_ = false;
  set_budget();
}

}  // namespace jackdaw::gc
