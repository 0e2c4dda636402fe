#include "gc/finalization/weak_links.h"

#include <utility>

#include "base/check.h"
#include "heap/word.h"

namespace jackdaw::gc {

namespace {

std::uintptr_t address_of(void** link) { return reinterpret_cast<std::uintptr_t>(link); }

void** link_of(std::uintptr_t address) {
  return reinterpret_cast<void**>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

WeakLinks::Target WeakLinks::target_of(void** link, heap::Object* object) const {
  return {object, heap_.map().start_of_object_at(address_of(link)) != 0};
}

LinkResult WeakLinks::register_link(void** link, heap::Object* object) {
  JACKDAW_CHECK(link != nullptr && object != nullptr);
  const auto [registered, is_new] = objects_.insert(address_of(link));
  if (registered == nullptr) return LinkResult::no_memory;
  *registered = target_of(link, object);
  return is_new ? LinkResult::success : LinkResult::duplicate;
}

bool WeakLinks::unregister_link(void** link) { return objects_.erase(address_of(link)); }

LinkResult WeakLinks::move_link(void** link, void** new_link) {
  const Target* const registered = objects_.find(address_of(link));
  if (registered == nullptr) return LinkResult::not_found;
  if (link == new_link) return LinkResult::success;
  if (objects_.find(address_of(new_link)) != nullptr) return LinkResult::duplicate;
  const Target moved = target_of(new_link, registered->object());
  objects_.erase(address_of(link));
  *objects_.insert(address_of(new_link)).value = moved;  // the erased entry has left room
  return LinkResult::success;
}

void WeakLinks::forget_freed(const WeakProcessing& marking) {
  objects_.erase_if([&](std::uintptr_t address, const Target& target) {
    if (target.is_of_link_in_object() && marking.object_at(link_of(address)) == nullptr) return true;
    if (marking.object_at(target.object()) == target.object()) return false;
    heap::words_at(link_of(address))->bits = 0;
    return true;
  });
}

void WeakLinks::clear_dead(const WeakProcessing& marking) {
  may_dangle_ = false;
  objects_.erase_if([&](std::uintptr_t address, const Target& target) {
    if (WeakProcessing::is_marked(target.object())) {
      if (target.is_of_link_in_object()) [[likely]]
        may_dangle_ |= marking.lies_in_unmarked_object(link_of(address));
      return false;
    }
    heap::words_at(link_of(address))->bits = 0;
    return true;
  });
}

void WeakLinks::drop_dangling(const WeakProcessing& marking) {
  if (!std::exchange(may_dangle_, false)) return;
  objects_.erase_if([&](std::uintptr_t address, const Target& target) {
    return target.is_of_link_in_object() && marking.lies_in_unmarked_object(link_of(address));
  });
}

}  // namespace jackdaw::gc
