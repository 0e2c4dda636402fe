// WeakLinks: words of the program that a collection sets to null when an object dies.
//
// A table from each link's address to its object keeps neither. A process has two: short links are cleared
// before finalizers are chosen, long ones after what finalizers need was marked
// (gc/finalization/finalization.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gc/finalization/weak_processing.h"
#include "gc/weak/address_table.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// The result of a call.
enum class LinkResult : std::uint8_t {
  success,
  duplicate,  ///< the link is registered already
  not_found,  ///< the link is not registered
  no_memory,  ///< there is no memory, and nothing has changed
};

/// The caller holds the collector's lock; from forget_freed() on all other threads are stopped, too. The
/// table's memory comes from the system, and is no root.
class WeakLinks {
 public:
  /// `heap`: that of the objects.
  explicit WeakLinks(const heap::Heap& heap) : heap_(heap) {}

  /// Registers a link, which is not null, to the object that starts at `object`. A registered link is a
  /// duplicate, and refers to this object afterwards. Amortised O(1).
  [[nodiscard]] LinkResult register_link(void** link, heap::Object* object);
  /// Removes a registration and returns whether there was one. O(1).
  bool unregister_link(void** link);
  /// Moves a registration to another word; neither word changes. A duplicate, with nothing changed, when the
  /// other word is a registered link, too. O(1).
  [[nodiscard]] LinkResult move_link(void** link, void** new_link);
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  /// Calls `function(void** link, Object*)` for each registered link.
  template <typename Function>
  void for_each(Function function) const {
    objects_.for_each([&](std::uintptr_t link, const Target& target) {
      function(reinterpret_cast<void**>(link), target.object());  // NOLINT(performance-no-int-to-ptr)
    });
  }

  /// Removes the registrations of links in objects that the program has freed, whose memory may be gone, and
  /// of links to such objects, which become null. O(table).
  void forget_freed(const WeakProcessing& marking);
  /// Sets the links to unmarked objects to null and removes their registrations. Asks `marking` whether other
  /// links lie in unmarked objects, and notes that for drop_dangling(). O(table).
  void clear_dead(const WeakProcessing& marking);
  /// Removes the registrations of links that lie in unmarked objects, after clear_dead(); more may have been
  /// marked since. O(table), or O(1) where clear_dead() saw no such link.
  void drop_dangling(const WeakProcessing& marking);

 private:
  // An object, and whether the link to it lies in an object, too. A link elsewhere is always written to, also
  // where its memory lies among the heap's.
  class Target {
   public:
    Target() = default;
    Target(heap::Object* object, bool is_in_object)
        : bits_(reinterpret_cast<std::uintptr_t>(object) | (is_in_object ? 1U : 0U)) {}
    [[nodiscard]] heap::Object* object() const {
      return reinterpret_cast<heap::Object*>(bits_ &
                                             ~std::uintptr_t{1});  // NOLINT(performance-no-int-to-ptr)
    }
    [[nodiscard]] bool is_of_link_in_object() const { return (bits_ & 1U) != 0; }

   private:
    std::uintptr_t bits_ = 0;
  };

  [[nodiscard]] Target target_of(void** link, heap::Object* object) const;

  const heap::Heap& heap_;
  AddressTable<Target> objects_;
  bool may_dangle_ = false;  // whether clear_dead() saw a link in an unmarked object
};

}  // namespace jackdaw::gc
