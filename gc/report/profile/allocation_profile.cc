#include "gc/report/profile/allocation_profile.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/page_memory.h"
#include "heap/chunk.h"
#include "heap/sample_points.h"

namespace jackdaw::gc {

namespace {

std::uintptr_t key_of(const heap::Object* object) { return reinterpret_cast<std::uintptr_t>(object); }

}  // namespace

bool AllocationSites::copy(const AllocationSites& other) {
  addresses_.clear();
  frames_.clear();
  sites_.clear();
  return addresses_.append_all(other.addresses()) && frames_.append_all(other.frames_.span()) &&
         sites_.append_all(other.sites());
}

void AllocationProfile::make_room() {
  constexpr std::size_t kFrames = std::size_t{1} << 13;
  constexpr std::size_t kSites = std::size_t{1} << 9;
  if (!frames_.reserve(kFrames) || !sites_.reserve(kSites)) return;
#ifdef MADV_POPULATE_WRITE
  base::PageMemory::advise(frames_.begin(), kFrames * sizeof(std::uint32_t), MADV_POPULATE_WRITE);
  base::PageMemory::advise(sites_.begin(), kSites * sizeof(Site), MADV_POPULATE_WRITE);
#endif
}

void AllocationProfile::clear() {
  addresses_.clear();
  places_.clear();
  frames_.clear();
  sites_.clear();
  samples_.clear();
  heads_.fill(0);
  for (std::atomic<std::uint64_t>& word : filter_) word.store(0, std::memory_order_relaxed);
  has_samples_.store(false, std::memory_order_relaxed);
}

void AllocationProfile::set_bit_of(const heap::Object* object) {
  const std::size_t bit = bit_of(object);
  filter_[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
  has_samples_.store(true, std::memory_order_relaxed);
}

void AllocationProfile::add(const heap::Object* object, std::uint64_t bytes, std::uint64_t every,
                            std::span<const std::uintptr_t> stack) {
  const std::uint32_t site = site_of(stack);
  if (site == kNone) return;
  const double weight = heap::objects_per_sample(bytes, every);
  drop(object);
  Sample* const sample = samples_.insert(key_of(object)).value;
  if (sample == nullptr) return;
  *sample = {bytes, weight, site, false};
  set_bit_of(object);
  sites_[site].objects += weight;
  sites_[site].bytes += weight * static_cast<double>(bytes);
}

// Returns the number of the stack's site, which is made if it is new, or kNone when there is no memory.
std::uint32_t AllocationProfile::site_of(std::span<const std::uintptr_t> stack) {
  std::uint64_t hash = 0;
  for (const std::uintptr_t frame : stack) hash = (hash ^ frame) * 0x9e3779b97f4a7c15;
  std::uint32_t& head = heads_[hash >> 32 & (kHeads - 1)];
  const auto is_at = [this](std::uint32_t place, std::uintptr_t frame) { return addresses_[place] == frame; };
  for (std::uint32_t site = head - 1; site != kNone; site = sites_[site].next) {
    if (std::ranges::equal(places_of(sites_[site]), stack, is_at)) return site;
  }
  const auto first = static_cast<std::uint32_t>(frames_.size());
  const auto append = [this](std::uintptr_t frame) {
    const std::uint32_t place = place_of(frame);
    return place != kNone && frames_.append(place);
  };
  if (!std::ranges::all_of(stack, append) ||
      !sites_.append({first, static_cast<std::uint32_t>(stack.size()), head - 1, 0, 0, 0, 0})) {
    frames_.shorten(first);
    return kNone;
  }
  head = static_cast<std::uint32_t>(sites_.size());
  return head - 1;
}

// Returns the address's place among all, or kNone when there is no memory.
std::uint32_t AllocationProfile::place_of(std::uintptr_t address) {
  const auto [place, is_new] = places_.insert(address);
  if (place == nullptr) return kNone;
  if (!is_new) return *place;
  if (!addresses_.append(address)) {
    places_.erase(address);
    return kNone;
  }
  return *place = static_cast<std::uint32_t>(addresses_.size() - 1);
}

void AllocationProfile::count_live(const Sample& sample, double sign) {
  sites_[sample.site].live_objects += sign * sample.weight;
  sites_[sample.site].live_bytes += sign * sample.weight * static_cast<double>(sample.bytes);
}

void AllocationProfile::drop(const heap::Object* object) {
  const Sample* const sample = samples_.find(key_of(object));
  if (sample == nullptr) return;
  if (sample->was_live) count_live(*sample, -1);
  samples_.erase(key_of(object));
}

void AllocationProfile::drop_unmarked() {
  for (std::atomic<std::uint64_t>& word : filter_) word.store(0, std::memory_order_relaxed);
  samples_.erase_if([this](std::uintptr_t address, Sample& sample) {
    const heap::Object* const object = object_of_key(address);
    const bool is_live = heap::Chunk::of(object)->is_marked(object);
    // This may be called again for a sample that stays.
    if (is_live != sample.was_live) count_live(sample, is_live ? 1 : -1);
    sample.was_live = is_live;
    if (is_live) set_bit_of(object);
    return !is_live;
  });
}

}  // namespace jackdaw::gc
