#include "gc/process/roots/root_set.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/check.h"
#include "base/guarded_loads.h"
#include "base/valgrind.h"
#include "gc/marking/candidate_picker.h"
#include "heap/block_map.h"
#include "heap/chunk.h"

namespace jackdaw::gc {

RootSet::RootSet(heap::Heap& heap, Collection& collection, ThreadRegistry& threads,
                 const Finalization& finalization, const Destructors& destructors)
    : heap_(heap),
      collection_(collection),
      threads_(threads),
      finalization_(finalization),
      destructors_(destructors),
      idle_stacks_(heap, collection, threads.fibers()) {
  if (roots_.empty() || !static_data_.reserve()) throw std::bad_alloc();
}

void RootSet::mark_from_all(const Program& program, const OwnStack& own_stack) {
  count_ = 0;
  searched_bytes_ = 0;
  gather(program, own_stack);
  heap_.withdraw_uncollectable_slots();
  heap_.for_each_uncollectable([this](heap::Object* object) { add(object); });
  searched_bytes_ += idle_stacks_.mark();
  define_gathered();
  collection_.mark_further({roots_.data(), count_});
}

bool RootSet::reserve_first() {
  if (first_roots_.empty()) first_roots_ = base::PageArray<heap::Object*>(kMostFirst);
  return !first_roots_.empty();
}

std::span<heap::Object* const> RootSet::find_first(const Program& program, const OwnStack& own_stack) {
  count_ = 0;
  searched_bytes_ = 0;
  gathered_ = {first_roots_.data(), first_roots_.size()};
  gather(program, own_stack);
  define_gathered();
  gathered_ = {roots_.data(), roots_.size()};
  return {first_roots_.data(), count_};
}

void RootSet::gather(const Program& program, const OwnStack& own_stack) {
  JACKDAW_CHECK(count_ == 0);
  // This comes first, as it may say where stacks end.
  if (program.more_roots != nullptr) program.more_roots();
  scan_objects(program.made_in_the_pause.span());
  scan_readable(own_stack);
  const auto add_at = [this](std::uintptr_t address) {
    if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), address)) add(object);
  };
  destructors_.for_each_waiting([this](heap::Object* object) { add(object); });
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    add_at(node.word.load(std::memory_order_relaxed));
  });
  finalization_.for_each_root(add_at);
}

// Scans memory of which some pages may not be readable.
void RootSet::scan_readable(const OwnStack& own_stack) {
  const base::GuardedLoads loads;
  static_data_.for_each([this](heap::Words words) { scan(words); });
  scan_code();
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_data_.thread_local_modules(),
                         [this](ThreadRegistry::RootPlace, heap::Words words) { scan_stack(words); });
}

void RootSet::scan_objects(std::span<heap::Object* const> objects) {
  for (heap::Object* const object : objects) {
    if (heap::Chunk::of(object)->contents_of(object) == heap::Contents::data) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(object);
    scan(heap::whole_words_between(begin, begin + heap::Heap::bytes_of(object)));
  }
}

// A granule in which no object starts may be added, too: its mark is set.
void RootSet::scan(heap::Words words) {
  if (redirection_.reader != nullptr) return redirection_.add_words(redirection_.reader, words, false);
  constexpr std::size_t kWordsAtOnce = 512;
  std::array<CandidatePicker::Candidate, kWordsAtOnce + CandidatePicker::kScratch> candidates;
  const heap::BlockMap& map = heap_.map();
  const heap::BlockMap::View view(map);
  const CandidatePicker picker(map);
  struct {
    RootSet& roots;
    void reference(heap::Object* object) { roots.add(object); }
  } sink{*this};
  searched_bytes_ += words.size_bytes();
  while (!words.empty()) {
    const heap::Words some = words.first(std::min(words.size(), kWordsAtOnce));
    words = words.subspan(some.size());
    const auto picked = std::span(candidates).first(picker.pick(some, candidates.data()));
    heap::report_references(picked, view, map, sink);
  }
}

void RootSet::scan_code() {
  searched_bytes_ += static_data_.code_bytes();
  static_data_.for_each_in_code([this](std::uintptr_t, std::uintptr_t word) {
    if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), word)) add(object);
  });
}

void RootSet::scan_stack(heap::Words words) {
  if (redirection_.reader != nullptr) return redirection_.add_words(redirection_.reader, words, true);
  searched_bytes_ += words.size_bytes();
  heap::for_each_slot_in_stack(words, heap_.map(), [this](heap::Object* object) { add(object); });
}

// Marks from the roots gathered so far, when the array is full. It does not grow, since unmapped memory may
// lie in a range that the program added as roots.
void RootSet::mark_some() {
  define_gathered();
  collection_.mark_some({roots_.data(), count_});
  count_ = 0;
}

// Some roots were found in words that the program never wrote.
void RootSet::define_gathered() const {
  base::define_for_valgrind(&count_, sizeof count_);
  base::define_for_valgrind(gathered_.data(), count_ * sizeof(heap::Object*));
}

}  // namespace jackdaw::gc
