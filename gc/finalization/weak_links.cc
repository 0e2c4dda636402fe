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

LinkResult WeakLinks::register_link(void** link, heap::Object* object) {
  JACKDAW_CHECK(link != nullptr && object != nullptr);
  const auto [registered, is_new] = objects_.insert(address_of(link));
  if (registered == nullptr) return LinkResult::no_memory;
  *registered = object;
  return is_new ? LinkResult::success : LinkResult::duplicate;
}

bool WeakLinks::unregister_link(void** link) { return objects_.erase(address_of(link)); }

LinkResult WeakLinks::move_link(void** link, void** new_link) {
  heap::Object* const* const registered = objects_.find(address_of(link));
  if (registered == nullptr) return LinkResult::not_found;
  if (link == new_link) return LinkResult::success;
  if (objects_.find(address_of(new_link)) != nullptr) return LinkResult::duplicate;
  heap::Object* const object = *registered;
  objects_.erase(address_of(link));
  *objects_.insert(address_of(new_link)).value = object;  // the erased entry has left room
  return LinkResult::success;
}

void WeakLinks::clear_dead(const WeakProcessing& marking) {
  may_dangle_ = false;
  objects_.erase_if([&](std::uintptr_t address, const heap::Object* object) {
    if (WeakProcessing::is_marked(object)) {
      may_dangle_ |= marking.lies_in_unmarked_object(link_of(address));
      return false;
    }
    heap::words_at(link_of(address))->bits = 0;
    return true;
  });
}

void WeakLinks::drop_dangling(const WeakProcessing& marking) {
  if (!std::exchange(may_dangle_, false)) return;
  objects_.erase_if([&](std::uintptr_t address, const heap::Object*) {
    return marking.lies_in_unmarked_object(link_of(address));
  });
}

}  // namespace jackdaw::gc
