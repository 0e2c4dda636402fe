// AllocationProfile: which calls allocated, and what of that is alive, estimated from samples.
// AllocationSites: its results.
//
// A sample of b bytes stands for 1 / (1 - e^(-b/every)) objects of its size (heap/sample_points.h), so that
// the sums over all samples are right on average. The objects are no roots: a collection drops those that it
// did not mark.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_vector.h"
#include "gc/weak/address_table.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One thread at a time; nothing calls malloc.
class AllocationSites {
 public:
  /// The calls that led to an allocation.
  struct Site {
    std::uint32_t first_frame;  // among those of all sites
    std::uint32_t frames;
    std::uint32_t next;  // of those with the same head, or kNone
    double objects;      ///< allocated
    double bytes;
    double live_objects;  ///< that the last collection found alive
    double live_bytes;
  };

  /// Takes the place of what is here. False when there is no memory.
  [[nodiscard]] bool copy(const AllocationSites& other);
  /// Returns all sites, with the live figures of the last collection that looked.
  [[nodiscard]] std::span<const Site> sites() const { return sites_.span(); }
  /// Returns the addresses of code that sites have, and perhaps others, each once.
  [[nodiscard]] std::span<const std::uintptr_t> addresses() const { return addresses_.span(); }
  /// Returns a site's calls, the innermost first, by their places among the addresses.
  [[nodiscard]] std::span<const std::uint32_t> places_of(const Site& site) const {
    return frames_.span().subspan(site.first_frame, site.frames);
  }

 protected:
  base::PageVector<std::uintptr_t> addresses_;
  base::PageVector<std::uint32_t> frames_;  // places of addresses, which take half as many pages
  base::PageVector<Site> sites_;
};

/// One thread at a time; nothing calls malloc. When there is no memory, samples are lost.
class AllocationProfile : public AllocationSites {
 public:
  /// Makes room for the first five hundred stacks at once: a page fault for some of them takes longer than
  /// the sample.
  void make_room();
  /// Forgets all samples.
  void clear();
  /// Adds an object, where an object becomes a sample every `every` bytes on average. `stack`: the calls, the
  /// innermost first.
  void add(const heap::Object* object, std::uint64_t bytes, std::uint64_t every,
           std::span<const std::uintptr_t> stack);
  /// Whether the object may be one that was added and is still there. Any thread, at any time.
  [[nodiscard]] bool may_have(const heap::Object* object) const {
    // Relaxed, here and where they are written: the calling thread added the object, or got it from the
    // thread that did.
    if (!has_samples_.load(std::memory_order_relaxed)) return false;
    const std::size_t bit = bit_of(object);
    return (filter_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
  }
  /// Calls `function(object, number of its site)` for each object that was added and is still there.
  template <typename Function>
  void for_each_sample(Function function) const {
    samples_.for_each(
        [&](std::uintptr_t address, const Sample& sample) { function(object_of_key(address), sample.site); });
  }
  /// Drops an object that the program frees. O(1).
  void drop(const heap::Object* object);
  /// Drops the objects that are not marked. While the program is stopped, between marking and sweeping.
  void drop_unmarked();

 private:
  struct Sample {
    std::uint64_t bytes;
    double weight;  // objects that it stands for
    std::uint32_t site;
    bool was_live;  // at the last collection
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kHeads = 4096;
  static constexpr std::size_t kFilterBits = std::size_t{1} << 16;

  static const heap::Object* object_of_key(std::uintptr_t key) {
    return reinterpret_cast<const heap::Object*>(key);  // NOLINT(performance-no-int-to-ptr)
  }
  // The high bits of the product depend on all bits of the address.
  static std::size_t bit_of(const heap::Object* object) {
    return reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15 >> (64 - 16);
  }
  void set_bit_of(const heap::Object* object);
  std::uint32_t site_of(std::span<const std::uintptr_t> stack);
  std::uint32_t place_of(std::uintptr_t address);
  void count_live(const Sample& sample, double sign);

  AddressTable<Sample> samples_;
  AddressTable<std::uint32_t> places_;                                 // of addresses
  std::array<std::uint32_t, kHeads> heads_{};                          // 1 + the first site with that hash
  std::array<std::atomic<std::uint64_t>, kFilterBits / 64> filter_{};  // bits of the samples' addresses
  std::atomic<bool> has_samples_{false};  // read first, which spares the filter's line
};

}  // namespace jackdaw::gc
