// ObjectModel: the mark loop's interface to a heap, the one thing that an embedder writes.
// jackdaw/object_model.h says what its functions must do.
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

/// See jackdaw/object_model.h.
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

/// See jackdaw/object_model.h.
template <typename Model>
concept BiasedObjectModel = ObjectModel<Model> &&
    requires(Model& model, typename Model::Reference reference) {
  { model.bias_word_of(reference) } -> std::same_as<std::atomic<std::uint32_t>&>;
};

/// See jackdaw/object_model.h.
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

/// See jackdaw/object_model.h.
template <typename Model>
concept FollowingObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  model.prefetch_following(task);
};

/// See jackdaw/object_model.h.
template <typename Model>
concept PlacedObjectModel = ObjectModel<Model> && requires(const Model& model, typename Model::Task task) {
  { model.node_of(task) } -> std::same_as<std::uint32_t>;
};

template <typename Model>
inline constexpr bool kFollowingFits = !requires(Model & model, typename Model::Task task) {
  model.prefetch_following(task);
}
|| FollowingObjectModel<Model>;

template <typename Model>
inline constexpr bool kNodeFits = !requires(Model & model, typename Model::Task task) {
  model.node_of(task);
}
|| PlacedObjectModel<Model>;

/// The most candidates that a visit may add without a call of make_room(), and the number of places behind
/// the last one that it may overwrite.
inline constexpr std::size_t kCandidatesAtOnce = 1024;
inline constexpr std::size_t kCandidateScratch = 8;

/// See jackdaw/object_model.h.
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
