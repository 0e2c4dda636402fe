#include "gc/process/allocation.h"

#include <new>

namespace jackdaw::gc {

void* AllocationSlowPath::allocate(const AllocationRequest& request) {
  if (parts_.lock.is_held_by_caller()) return allocate_in_callback(request);
  for (;;) {
    // Another thread's collection is known by its number alone; what it freed is learnt under the heap's
    // lock.
    const std::uint64_t before = news();
    if (void* const object = request.attempt()) {
      parts_.heap_size.tell_of_taken();
      return object;
    }
    const AllocationAnswer answer = collect_and_allocate(request, before);
    parts_.dead.run_destructors();
    parts_.heap_size.tell_of_taken();
    if (answer.kind == AllocationAnswer::Kind::final) return answer.memory;
  }
}

// No collection can come.
void* AllocationSlowPath::allocate_in_callback(const AllocationRequest& request) {
  const heap::BeyondBudget beyond_budget;
  if (!parts_.pauses.is_program_stopped()) return request.attempt();
  return parts_.pauses.allocate([&](heap::Allocator& allocator) { return request.attempt_by(allocator); });
}

AllocationAnswer AllocationSlowPath::collect_and_allocate(const AllocationRequest& request,
                                                          std::uint64_t unless_after) {
  ConcurrentCycle::Lock lock(parts_.lock);
  if (news() != unless_after) return AllocationAnswer::retry();
  if (parts_.heap_limit.is_due(request.bytes)) {
    {
      const ThreadRegistry::CriticalSection critical(request.thread);
      parts_.heap_limit.look(request.bytes);
    }
    if (void* const object = request.attempt()) return AllocationAnswer::of(object);
  }
  if (!parts_.heap_limit.may_hold(request.bytes)) return AllocationAnswer::of(nullptr);
  if (parts_.plan.grant_for_uncounted(request.bytes)) {
    if (void* const object = request.attempt()) return AllocationAnswer::of(object);
  }
  try {
    const AllocationAnswer answer = cycle_.go_on(request, lock);
    if (answer.kind != AllocationAnswer::Kind::none) return answer;
  } catch (const std::bad_alloc&) {  // then with what there is
    return AllocationAnswer::of(parts_.plan.attempt_beyond_budget(request));
  }
  return AllocationAnswer::of(collect_until_found(request));
}

// Collects if that is worth it. Returns whether it did.
bool AllocationSlowPath::collects(const AllocationRequest& request) {
  const CollectionReason reason = parts_.plan.reason_of_refusal(request.bytes);
  if (!parts_.plan.is_worth_a_collection(reason) || !parts_.plan.may_collect()) return false;
  try {
    world_.collect(reason, {request.stack_pointer});
    return true;
  } catch (const std::bad_alloc&) {  // then with what there is
    return false;
  }
}

// Other threads, and callbacks of the collection, may take what it freed before this thread comes to it. A
// thread that comes too late collects again, as the heap would grow with each such race; but not for ever.
void* AllocationSlowPath::collect_until_found(const AllocationRequest& request) {
  constexpr int kMostTooLate = 4;
  void* object = nullptr;
  for (int times_too_late = 0;;) {
    const bool has_collected = collects(request);
    if (has_collected) object = request.attempt();
    const auto others_took_it = [&] { return has_collected && parts_.plan.has_allocated_much(); };
    if (object == nullptr && times_too_late < kMostTooLate && others_took_it() &&
        parts_.plan.grants_at_first(request.bytes)) {
      ++times_too_late;
      continue;
    }
    if (object == nullptr) object = parts_.plan.attempt_beyond_budget(request);
    const bool is_too_late = object == nullptr && others_took_it();
    if (object == nullptr && !is_too_late) object = attempt_at_last(request);
    parts_.plan.note_answer(object != nullptr);
    if (object != nullptr || (!parts_.plan.may_collect_more() && !is_too_late)) break;
  }
  parts_.heap_size.tell();
  return object;
}

void* AllocationSlowPath::attempt_at_last(const AllocationRequest& request) {
  {
    const ThreadRegistry::CriticalSection critical(request.thread);
    if (!parts_.heap_limit.look_at_last(request.bytes)) return nullptr;
  }
  return parts_.plan.attempt_beyond_budget(request);
}

}  // namespace jackdaw::gc
