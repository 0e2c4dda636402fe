// ObjectModel: the mark loop's interface to a heap, the one thing that an embedder writes.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace jackdaw::mark {

/// Whether a worker marks alone, so that it may write the mark plainly, or beside others. The holder of a
/// bias in a round of several workers marks alone, too: so both kinds of marking may come to one mark word,
/// one after the other.
enum class Sharing : bool { exclusive = false, shared = true };

/// The outcome of marking a reference. A task converts to it.
template <typename Task>
class MarkOutcome {
 public:
  /// The object was marked before, or by another worker just now.
  MarkOutcome() = default;
  /// This call marked the object, and `task` is to visit it.
  MarkOutcome(Task task)  // NOLINT(google-explicit-constructor): so that a model may return a task
      : state_(State::task), task_(task) {}
  /// This call marked the object, which holds no references: it is neither queued nor visited.
  static MarkOutcome leaf() {
    MarkOutcome outcome;
    outcome.state_ = State::leaf;
    return outcome;
  }

  [[nodiscard]] bool is_newly_marked() const { return state_ != State::marked_before; }
  [[nodiscard]] bool is_leaf() const { return state_ == State::leaf; }
  [[nodiscard]] Task task() const { return task_; }

 private:
  enum class State : std::uint8_t { marked_before, leaf, task };

  State state_ = State::marked_before;
  Task task_;
};

/// A `Reference`, or a type that converts to one and carries more that is known about it.
template <typename Found, typename Reference>
concept ReferenceTo = std::copyable<Found> && std::convertible_to<Found, Reference>;

/// The sink that an object model's visit() reports to, as the concepts below see it.
template <typename Reference, typename Task>
struct VisitSink {
  template <ReferenceTo<Reference> Found>
  void reference(Found) {}  ///< reports a non-null reference
  void task(Task) {}        ///< reports a part of the object, to be visited later or by another worker
  /// Returns the number of the visiting worker, below Marker::worker_count(): so a visit can note something
  /// elsewhere, such as weak references, for each worker apart and without a lock.
  [[nodiscard]] std::uint32_t worker() const { return 0; }
};

/// A heap as the mark loop sees it.
///
/// `Reference` is what a slot or a root holds; `Task` is a reference, or a part of an object, in a form that
/// queues can copy as plain bytes (8 bytes are best).
///
/// - `mark(reference, sharing)` sets the object's mark and gives the MarkOutcome. With `Sharing::shared`
///   several workers may call it for one object at once, and exactly one is told that it marked it.
/// - `is_marked(reference)` says whether the mark is set; only how long that takes matters here.
/// - `prefetch_mark(reference)` prefetches the object's mark for writing; it must not fault.
/// - `prefetch(task)` prefetches what visit() will read; it must neither fault nor read what the task names:
///   it is also called with tasks of earlier rounds, and Task{}. (Use base/prefetch.h: compilers may drop
///   calls of functions that only prefetch by a built-in one.) A model that can prefetch less where it knows
///   what led to the object also has `prefetch(task, r)`, with r as below.
/// - `visit(task, sink)` calls `sink.reference(r)` for every non-null reference of the task's object, or of
///   the part that the task names, and `sink.task(t)` for further parts, so that each part is visited once.
///   `r` is a Reference, or a type that converts to one: then `mark` and `bias_word_of` take it, too.
///
/// All are called from every mark thread; the round's start and end synchronise with the collecting thread.
/// None may throw: a marking cannot be abandoned half-way, so the process would end. A task is visited once,
/// unless tasks were dropped because memory ran out: then objects are visited again (Marker::mark), and what
/// visit() notes elsewhere may be noted twice.
template <typename Model>
concept ObjectModel = std::is_trivially_copyable_v<typename Model::Task> &&
    std::default_initializable<typename Model::Task> && std::copyable<typename Model::Reference> &&
    std::default_initializable<typename Model::Reference> &&
    requires(Model& model, typename Model::Reference reference, typename Model::Task task,
             VisitSink<typename Model::Reference, typename Model::Task>& sink) {
  { model.mark(reference, Sharing::shared) } -> std::same_as<MarkOutcome<typename Model::Task>>;
  { model.is_marked(reference) } -> std::same_as<bool>;
  model.prefetch_mark(reference);
  model.prefetch(task);
  model.visit(task, sink);
};

/// A model whose heap is divided into regions in which one worker at a time can mark (mark/biased_regions.h):
/// `bias_word_of(reference)` is the word of the region that holds the object's mark. Marks of different
/// regions must not share a memory word. All words are zero when a marking starts.
template <typename Model>
concept BiasedObjectModel = ObjectModel<Model> &&
    requires(Model& model, typename Model::Reference reference) {
  { model.bias_word_of(reference) } -> std::same_as<std::atomic<std::uint32_t>&>;
};

/// A model that recognises tasks that are parts of big objects: `is_slice(task)`. Slices are popped one at a
/// time, so that an array's elements are visited in order and not all at once.
template <typename Model>
concept SlicingObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  { model.is_slice(task) } -> std::same_as<bool>;
};

// False for a model with an optional member that does not fit its concept, and that would be ignored
// otherwise.
template <typename Model>
inline constexpr bool kBiasWordFits = !requires(Model & model, typename Model::Reference reference) {
  model.bias_word_of(reference);
}
|| BiasedObjectModel<Model>;
template <typename Model>
inline constexpr bool kSliceFits = !requires(Model & model, typename Model::Task task) {
  model.is_slice(task);
}
|| SlicingObjectModel<Model>;

/// A model that prefetches in the order of addresses: `prefetch_following(task)` prefetches what lies about a
/// KiB behind the task's object; it must not fault. It is called where objects form a list: none can be
/// prefetched before its predecessor was read, but they often lie in the order of allocation.
template <typename Model>
concept FollowingObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  model.prefetch_following(task);
};

/// A model that knows on which memory node an object lies: `node_of(task)`, numbered as in
/// MarkerOptions::nodes.
template <typename Model>
concept PlacedObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  { model.node_of(task) } -> std::same_as<std::uint32_t>;
};

template <typename Model>
inline constexpr bool kNodeFits = !requires(Model & model, typename Model::Task task) {
  model.node_of(task);
}
|| PlacedObjectModel<Model>;

/// The most candidates that a visit may add without a call of make_room(), and the number of places behind
/// the last one that it may overwrite.
inline constexpr std::size_t kCandidatesAtOnce = 1024;
inline constexpr std::size_t kCandidateScratch = 8;

/// A model that finds references in two steps. visit() picks out words that may be references, its
/// candidates, by a test without branches, and writes them to the sink's buffer. When enough have come
/// together, `examine(candidates, sink)` calls `sink.reference(r)` for those that are references, and returns
/// how many are. So no branch depends on the contents of a single object, which a processor predicts badly,
/// and the memory accesses of many candidates overlap.
///
/// `visit_at_once(task, sink)` visits an object that has no candidates and returns true, or does nothing and
/// returns false, as it may for any object. It reports only references, so that `sink` can stay in registers.
/// `visit_few_words(task, sink)` does the same for tasks that are picked from: it is called where few tasks
/// wait, where candidates would only delay the next one.
///
/// `pick_from(tasks, enough, candidates)` does the first step for many tasks; `is_picked_from(task)` is true
/// for the first. It writes candidates to `candidates`, where there is room for `enough` and
/// kCandidatesAtOnce, and returns how many tasks it has visited (`tasks`, at least one) and how many
/// candidates it wrote (`candidates`). It ends when there are `enough`, or up to kTasksAtOnce small tasks
/// later, or before a task for which is_picked_from() is false.
///
/// The sink of such a visit is a handle that may be copied. It has `candidates()`, an array,
/// `candidate_count()`, the number of candidates in it, and `set_candidate_count(count)`, by which a visit
/// adds some. There is room for kCandidatesAtOnce when a visit begins, and again after `make_room()`. It may
/// have `batch()`: a faster sink for references only, which `end()` ends.
template <typename Model>
concept CandidateObjectModel = ObjectModel<Model> &&
    std::is_trivially_copyable_v<typename Model::Candidate> &&
    requires(const Model& model, std::span<const typename Model::Candidate> candidates,
             std::span<const typename Model::Task> tasks, typename Model::Candidate* out,
             VisitSink<typename Model::Reference, typename Model::Task>& sink) {
  { model.examine(candidates, sink) } -> std::same_as<std::size_t>;
  { model.visit_at_once(tasks.front(), sink) } -> std::same_as<bool>;
  { model.visit_few_words(tasks.front(), sink) } -> std::same_as<bool>;
  { model.is_picked_from(tasks.front()) } -> std::same_as<bool>;
  { model.pick_from(tasks, std::size_t{}, out).tasks } -> std::convertible_to<std::size_t>;
  { model.pick_from(tasks, std::size_t{}, out).candidates } -> std::convertible_to<std::size_t>;
};

template <typename Model>
inline constexpr bool kCandidatesFit = !requires {
  typename Model::Candidate;
}
|| CandidateObjectModel<Model>;

/// A sink that takes candidates.
template <typename Sink>
concept CandidateSink = requires(Sink& sink) {
  sink.candidates()[sink.candidate_count()];
  sink.set_candidate_count(std::size_t{});
  sink.make_room();
};

}  // namespace jackdaw::mark
