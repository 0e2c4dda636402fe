// ObjectModel: the mark loop's interface to a heap, the one thing that an embedder writes.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace jackdaw::mark {

/// Whether a worker marks alone, so that it may write the mark plainly, or beside others. Alone is the one
/// worker of a round, and the holder of a bias in a round of several: then both kinds of marking can come to
/// one mark word, one after the other.
enum class Sharing : bool { exclusive = false, shared = true };

/// The outcome of marking a reference. Implicitly made from a task.
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

/// A `Reference`, or a type that converts to one: a reference with more that is known about it.
template <typename Found, typename Reference>
concept ReferenceTo = std::copyable<Found> && std::convertible_to<Found, Reference>;

/// The sink that an object model's visit() reports to; stands for the worker in the concept below.
template <typename Reference, typename Task>
struct VisitSink {
  template <ReferenceTo<Reference> Found>
  void reference(Found) {}  ///< a non-null reference was found
  void task(Task) {}        ///< a part of the object that is left for later, or for another worker
  /// The number of the worker that visits, below Marker::worker_count(): what a visit notes elsewhere, such
  /// as weak references that it found, can be noted for each worker apart, without a lock.
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
/// - `prefetch_mark(reference)` asks the processor for the object's mark, to be written; it must not fault.
/// - `prefetch(task)` asks the processor for what visit() will read; it must not fault, and not read what the
///   task refers to: it is also called with tasks of earlier rounds, and with Task{}. (With what
///   base/prefetch.h has: compilers may leave out calls of what only asks in their own way.) A model that can
///   ask for less where it knows what led to the object also has `prefetch(task, r)`, r as below.
/// - `visit(task, sink)` calls `sink.reference(r)` for every non-null reference of the task's object, or of
///   the part that the task names, and `sink.task(t)` for further parts, so that each part is visited once.
///   `r` is a Reference, or what turns into one: then `mark` and `bias_word_of` take it, too.
///
/// All are called from every mark thread; the round's start and end synchronise with the thread that
/// collects. None may throw: a marking that ended half-way could not be ended well, so the process is. A task
/// is visited once, unless tasks were dropped because memory ran out: then objects are visited again
/// (Marker::mark), so that what visit() notes elsewhere may be noted twice.
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

/// A model that also divides its heap into regions which one worker at a time can mark in (see
/// mark/biased_regions.h): `bias_word_of(reference)` is the word of the region that holds the object's mark.
/// Marks of one region must not share a memory word with those of another. All words are zero when a marking
/// starts.
template <typename Model>
concept BiasedObjectModel = ObjectModel<Model> &&
    requires(Model& model, typename Model::Reference reference) {
  { model.bias_word_of(reference) } -> std::same_as<std::atomic<std::uint32_t>&>;
};

/// A model that also knows the tasks that are parts of big objects: `is_slice(task)`. They come from the
/// queue one at a time, so that an array's elements are visited in their order, and not all at once.
template <typename Model>
concept SlicingObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  { model.is_slice(task) } -> std::same_as<bool>;
};

// False for a model with an optional member that does not fit its concept: it would pass for one without it.
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

/// A model that also asks ahead in the order of addresses: `prefetch_following(task)` asks the processor for
/// what lies about a KiB behind the task's object; it must not fault. It is called where the objects form a
/// list, none of which can be asked for before its predecessor was read: they often lie as they were made.
template <typename Model>
concept FollowingObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  model.prefetch_following(task);
};

/// A model that also knows on which memory node an object lies: `node_of(task)`, numbered as
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

/// The most candidates that a visit may report without asking for room again, and how many places behind the
/// last one may be written to.
inline constexpr std::size_t kCandidatesAtOnce = 1024;
inline constexpr std::size_t kCandidateScratch = 8;

/// A model that finds out in two steps what an object refers to. visit() picks out what may be a reference,
/// its candidates, by a test that takes no branch, and writes them into the sink's buffer. When enough have
/// come together, `examine(candidates, sink)` calls `sink.reference(r)` for those that are references. So no
/// branch depends on what a single object holds, which a processor foresees badly, and the memory that
/// examining needs is asked for by many candidates at once. It returns how many are.
///
/// `visit_at_once(task, sink)` visits an object without candidates, and says true, or does nothing and says
/// false, as it may of any. It reports nothing but references, and `sink` stays in registers if it can.
/// `visit_few_words(task, sink)` does so for tasks that are picked from: it is called where few tasks wait,
/// so that candidates would only delay the next one.
///
/// `pick_from(tasks, enough, candidates)` does the first step for many tasks, the first of which
/// `is_picked_from(task)`: it writes what they may refer to to `candidates`, where there is room for `enough`
/// and kCandidatesAtOnce, and returns how many of the tasks it has visited (`tasks`, at least one) and how
/// many candidates it wrote (`candidates`). It ends when there are `enough`, or some small tasks of at most
/// kTasksAtOnce later, or before a task that is not picked from, which visit() has to visit.
///
/// The sink of such a visit is a handle that may be copied. It offers `candidates()`, an array, and
/// `candidate_count()`, how many are in it, and is told with `set_candidate_count(count)` what was added.
/// There is room for kCandidatesAtOnce when a visit begins, and again after `make_room()`. It may have
/// `batch()`: a sink for many references and nothing else, which is faster, and which `end()` ends.
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
