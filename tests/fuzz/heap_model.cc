#include "tests/fuzz/heap_model.h"

#include "jackdaw/javaxfc.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace jackdaw::fuzz {

namespace {

// Enough of a large object that other objects, and other pages, would show.
bool is_sampled(const Node& node, std::size_t word) {
  return word < 16 || word % 64 == 0 || word + 4 >= node.words();
}

// No address: the bits above 48 are set.
std::uint64_t filling(const Node& node, std::size_t word) {
  return 0x5a5a'0000'0000'0000U | ((node.seed * 0x9e37'79b9U + word * 0x85eb'ca6bU) & 0xffff'ffff'ffffU);
}

// Words that are neither references nor links; the first of an object that is asked about says which it is.
template <typename Function>
void for_each_filled(const Node& node, Function function) {
  if (node.is(Shape::cell)) return;
  for (std::size_t word = node.is(Shape::asked) ? 1 : 0; word < node.words(); ++word) {
    if (is_sampled(node, word) && !node.references.contains(word) && !node.link_words.contains(word))
      function(word);
  }
}

void fill(const Node& node) {
  for_each_filled(node, [&](std::size_t word) { *node.word(word) = filling(node, word); });
}

void write(const Node& node, std::size_t word, void* address) {
  *reinterpret_cast<void* volatile*>(node.word(word)) = address;
}

// Under the collector's lock: it clears links while that is held.
void* read_link(void* link) { return static_cast<const Link*>(link)->contents(); }

using Register = void (*)(void*, GC_finalization_proc, void*, GC_finalization_proc*, void**);

Register register_function(const Node& node, FinalizerKind kind) {
  static constexpr Register kPlain[]{GC_register_finalizer, GC_register_finalizer_ignore_self,
                                     GC_register_finalizer_no_order, GC_register_finalizer_unreachable};
  static constexpr Register kChecked[]{GC_debug_register_finalizer, GC_debug_register_finalizer_ignore_self,
                                       GC_debug_register_finalizer_no_order,
                                       GC_debug_register_finalizer_unreachable};
  return (node.rules().is_checked ? kChecked : kPlain)[static_cast<std::size_t>(kind)];
}

void check_memory(const Node& node) {
  std::byte* const start = node.start();
  std::byte* const base = start - node.base_offset;
  for (const std::size_t offset :
       {std::size_t{0}, node.bytes / 2, node.bytes - std::min<std::size_t>(1, node.bytes)})
    expect(GC_base(start + offset) == base, "GC_base finds another object", offset);
  expect(GC_size(base) >= node.bytes + node.base_offset, "GC_size is less than was asked for", node.bytes);
  expect(GC_is_heap_ptr(start) != 0, "GC_is_heap_ptr does not know an object");
  for_each_filled(node, [&](std::size_t word) {
    expect(*node.word(word) == filling(node, word), "a word of a reachable object changed", word);
  });
  for (const auto& [word, reference] : node.references)
    expect(*reinterpret_cast<void**>(node.word(word)) == reference.address(),
           "a reference in a reachable object changed", word);
}

}  // namespace

void* Reference::address() const { return node == nullptr ? nullptr : node->start() + offset; }

void* Link::contents() const {
  void* const contents = *place();
  return contents != nullptr && is_hidden ? GC_REVEAL_POINTER(contents) : contents;
}

Node& HeapModel::add(void* object, Shape shape, std::size_t bytes) {
  Node& node = insert(object, shape, bytes);
  if (node.rules().is_cleared) {
    const std::byte* const start = node.start();
    for (std::size_t i = 0; i < bytes; ++i)
      expect(start[i] == std::byte{0}, "a new object is not cleared", i);
  }
  fill(node);
  return node;
}

// A node of its own: those that died may have referred to the old one.
Node& HeapModel::add_resized(Node& node, void* object, std::size_t bytes) {
  const auto references = node.references;
  const std::uint64_t seed = node.seed;
  forget(node);
  Node& resized = insert(object, node.shape, bytes);
  resized.seed = seed;
  for (const auto& [word, reference] : references) {
    if (word < resized.words()) resized.references[word] = reference;
  }
  fill(resized);
  return resized;
}

Node& HeapModel::insert(void* object, Shape shape, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(object);
  auto* const base = static_cast<std::byte*>(GC_base(start));
  expect(base != nullptr, "GC_base does not know a new object", bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  for (auto other = by_end_.upper_bound(address); other != by_end_.end();) {
    Node& dead = *other->second;
    if (reinterpret_cast<std::uintptr_t>(dead.start()) - dead.base_offset >= address + GC_size(base)) break;
    other = by_end_.erase(other);
    note_died(dead);
  }
  Node& node = nodes_.emplace_back();
  node.hidden = GC_HIDE_POINTER(object);
  node.shape = shape;
  node.bytes = bytes;
  node.base_offset = static_cast<std::size_t>(start - base);
  node.seed = nodes_.size();
  by_end_.emplace(address + GC_size(base), &node);
  bytes_ += bytes;
  return node;
}

// Its memory is another object's now.
void HeapModel::note_died(Node& node) {
  mark();
  expect(!is_reachable(node), "the memory of a reachable object was taken again", node.bytes);
  expect(!node.finalizer.has_value(), "an object went whose finalizer was not called", node.bytes);
  check_links();
  for (const Link& link : links_)
    expect(link.target != &node, "an object went to which a link leads", node.bytes);
  if (node.asked != nullptr) {
    expect(node.asked->times == 1, "an object went that was not asked about once", node.asked->times);
    node.asked->is_in_use = false;
  }
  node.is_gone = true;
}

// The collector may not look at it any more.
void HeapModel::free(Node& node) {
  forget(node);
  if (node.asked != nullptr) {
    GC_free(node.start() - node.base_offset);
    expect(node.asked->times == 0, "an object was asked about that is reachable", node.asked->times);
    node.asked->is_in_use = false;
  } else if (node.rules().is_checked) {
    GC_debug_free(node.start());
  } else {
    GC_free(node.start());
  }
}

void HeapModel::forget(Node& node) {
  std::erase_if(by_end_, [&](const auto& entry) { return entry.second == &node; });
  node.is_gone = true;
}

void* HeapModel::resize(Node& node, std::size_t bytes) {
  const std::size_t kept = std::min(bytes, node.bytes) / sizeof(std::uint64_t);
  for_each_filled(node, [&](std::size_t word) {
    if (word < kept) expect(*node.word(word) == filling(node, word), "a word changed before a resize", word);
  });
  void* const object = node.rules().is_checked ? GC_debug_realloc(node.start(), bytes, "fuzzed", 2)
                                               : GC_realloc(node.start(), bytes);
  if (object == nullptr) return nullptr;
  const auto* const words = static_cast<const std::uint64_t*>(object);
  for_each_filled(node, [&](std::size_t word) {
    if (word < kept) expect(words[word] == filling(node, word), "a resize lost a word", word);
  });
  for (const auto& [word, reference] : node.references) {
    if (word < kept)
      expect(words[word] == reinterpret_cast<std::uint64_t>(reference.address()),
             "a resize lost a reference");
  }
  const auto* const start = static_cast<const std::byte*>(object);
  for (std::size_t i = node.bytes; node.rules().is_cleared && i < bytes; ++i)
    expect(start[i] == std::byte{0}, "a byte that a resize added is not cleared", i);
  return object;
}

void HeapModel::set(Root& root, Reference reference) {
  root.reference = reference;
  *root.place = reference.address();
}

void HeapModel::set(Node& node, std::size_t word, Reference reference) {
  if (node.is(Shape::cell)) {
    reinterpret_cast<Cell*>(node.start())->next = static_cast<Cell*>(reference.address());
  } else {
    write(node, word, reference.address());
  }
  node.references[word] = reference;
}

void HeapModel::set_pair(Node& cell, Node* key, Node* value) {
  cell.key = {key};
  cell.value = {value};
  reinterpret_cast<Cell*>(cell.start())
      ->pair.set(static_cast<Cell*>(cell.key.address()), static_cast<Cell*>(cell.value.address()));
}

void HeapModel::rewrite(Node& node, std::uint64_t seed) {
  node.seed = seed;
  fill(node);
}

void HeapModel::register_finalizer(Node& node, FinalizerKind kind, Reference data) {
  GC_finalization_proc old = nullptr;
  void* old_data = nullptr;
  register_function(node, kind)(node.start(), note_finalized, data.address(), &old, &old_data);
  expect(old == nullptr && old_data == nullptr, "an object has a finalizer that nobody registered");
  node.finalizer = kind;
  node.finalizer_data = data;
}

void HeapModel::take_finalizer_back(Node& node) {
  GC_finalization_proc old = nullptr;
  void* old_data = nullptr;
  register_function(node, *node.finalizer)(node.start(), nullptr, nullptr, &old, &old_data);
  if (old == nullptr) {
    expect(node.was_brought_back, "a finalizer went that was not called");
    return;  // it is to be called
  }
  expect(node.rules().is_checked || old_data == node.finalizer_data.address(), "a finalizer's data changed");
  node.finalizer.reset();
  node.finalizer_data = {};
}

Node& HeapModel::take_finalized(void* object, void* data) {
  const auto found = by_end_.upper_bound(reinterpret_cast<std::uintptr_t>(object));
  expect(found != by_end_.end() && found->second->start() == object,
         "a finalizer was called with what is no object");
  Node& node = *found->second;
  expect(node.finalizer.has_value(), "a finalizer was called twice, or never registered");
  expect(data == node.finalizer_data.address(), "a finalizer was called with other data");
  mark();
  if (!finalizes_all && !node.was_brought_back) {
    expect(!is_reachable(node), "the finalizer of a reachable object was called");
    check_order(node);
  }
  node.finalizer.reset();
  node.finalizer_data = {};
  // All that it leads to is whole.
  ++marking_;
  mark_from(&node);
  for (const Node& other : nodes_) {
    if (other.marked == marking_) check_memory(other);
  }
  return node;
}

void HeapModel::check_order(const Node& node) {
  if (node.finalizer == FinalizerKind::no_order) return;
  for (const Node& other : nodes_) {
    if (!other.finalizer.has_value() || other.is_gone || is_reachable(other)) continue;
    if (other.finalizer == FinalizerKind::no_order && node.finalizer != FinalizerKind::unreachable) continue;
    if (&other == &node && node.finalizer != FinalizerKind::normal) continue;
    expect(!reaches(other, node), "a finalizer was called before one that holds it back");
  }
}

bool HeapModel::reaches(const Node& from, const Node& to) const {
  std::map<const Node*, bool> found;
  std::vector<const Node*> to_visit{&from};
  while (!to_visit.empty()) {
    const Node* const visited = to_visit.back();
    to_visit.pop_back();
    for (const auto& [word, reference] : visited->references) {
      if (reference.node == &to) return true;
      if (reference.node != nullptr && found.emplace(reference.node, true).second)
        to_visit.push_back(reference.node);
    }
  }
  return false;
}

void HeapModel::bring_back(Node& node) {
  mark();
  std::vector<Node*> unreachable;
  for (Node& other : nodes_) {
    if (!is_reachable(other)) unreachable.push_back(&other);
  }
  mark_from(&node);
  while (mark_values()) {
  }
  for (Node* other : unreachable) other->was_brought_back |= is_reachable(*other);
}

void HeapModel::register_link(Link link) {
  void* const address = link.target->start();
  void** const place = link.place();
  *place = link.is_hidden ? reinterpret_cast<void*>(GC_HIDE_POINTER(address)) : address;
  if (link.box != nullptr) link.box->link_words[link.word] = true;
  void* const base = link.target->start() - link.target->base_offset;
  const int result =
      link.is_long ? GC_register_long_link(place, base) : GC_general_register_disappearing_link(place, base);
  expect(result == GC_SUCCESS, "a link was not registered", static_cast<std::uint64_t>(result));
  links_.push_back(link);
}

void HeapModel::move_link(std::size_t index, void** outside) {
  Link& link = links_[index];
  void** const from = link.place();
  *outside = *from;
  const int result =
      link.is_long ? GC_move_long_link(from, outside) : GC_move_disappearing_link(from, outside);
  expect(result == GC_SUCCESS, "a link was not moved", static_cast<std::uint64_t>(result));
  link.box = nullptr;
  link.outside = outside;
}

void HeapModel::unregister_link(std::size_t index) {
  const Link link = links_[index];
  const bool is_cleared = follow(link) == nullptr;
  const int result =
      link.is_long ? GC_unregister_long_link(link.place()) : GC_unregister_disappearing_link(link.place());
  expect(is_cleared || result == 1 || follow(link) == nullptr,
         "a link that leads somewhere was not registered");
  expect(!is_cleared || result == 0, "a link is registered that was cleared");
  links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(index));
}

void* HeapModel::follow(const Link& link) {
  return GC_call_with_alloc_lock(read_link, const_cast<Link*>(&link));
}

bool HeapModel::has_one_reference(const Node& node) const {
  std::size_t count = 0;
  const auto add = [&](const Reference& reference) { count += reference.node == &node; };
  for (const Root* root : roots_) add(root->reference);
  for (const Node& other : nodes_) {
    if (other.is_gone) continue;
    for (const auto& [word, reference] : other.references) add(reference);
    add(other.key);
    add(other.value);
    add(other.finalizer_data);
  }
  for (const Link& link : links_) count += link.target == &node;
  return count == 1 && !node.finalizer.has_value() && node.link_words.empty() && !node.was_brought_back;
}

void HeapModel::mark() {
  ++marking_;
  for (const Root* root : roots_) mark_from(root->reference.node);
  for (Node& node : nodes_) {
    if (node.is_gone) continue;
    if (node.rules().lives_until_freed) mark_from(&node);
    mark_from(node.finalizer_data.node);
  }
  while (mark_values()) {
  }
}

void HeapModel::mark_from(Node* node) {
  to_visit_.push_back(node);
  while (!to_visit_.empty()) {
    Node* const visited = to_visit_.back();
    to_visit_.pop_back();
    if (visited == nullptr || visited->marked == marking_) continue;
    visited->marked = marking_;
    for (const auto& [word, reference] : visited->references) to_visit_.push_back(reference.node);
  }
}

// Whether one was found of which that was not known.
bool HeapModel::mark_values() {
  bool has_found = false;
  for (const Node& cell : nodes_) {
    if (cell.key.node == nullptr || !is_reachable(cell) || !is_reachable(*cell.key.node)) continue;
    if (is_reachable(*cell.value.node)) continue;
    mark_from(cell.value.node);
    has_found = true;
  }
  return has_found;
}

void HeapModel::check() {
  mark();
  for (const Root* root : roots_) expect(*root->place == root->reference.address(), "a root changed");
  for (Node& node : nodes_) {
    if (!is_reachable(node)) continue;
    expect(!node.is_gone, "the model is wrong: a reachable object is gone");
    check_memory(node);
    if (node.is(Shape::cell)) check_pair(node);
  }
  mark();
  check_asked();
  check_links();
}

void HeapModel::check_pair(Node& cell) {
  const auto& pair = reinterpret_cast<const Cell*>(cell.start())->pair;
  if (pair.key() == nullptr && cell.key.node != nullptr) {
    expect(pair.value() == nullptr, "half of a pair was cleared");
    expect(!is_reachable(*cell.key.node) || cell.key.node->was_brought_back,
           "a pair was cleared whose key is reachable");
    cell.key = cell.value = {};
  }
  expect(pair.key() == cell.key.address() && pair.value() == cell.value.address(), "a pair changed");
}

void HeapModel::check_asked() {
  for (const Node& node : nodes_) {
    if (node.asked == nullptr || node.is_gone) continue;
    expect(node.asked->times <= 1, "an object was asked about more than once", node.asked->times);
    expect(node.asked->times == 0 || !is_reachable(node), "an object was asked about that is reachable");
  }
}

// After a marking. Forgets those that were cleared, and those in objects that may be gone.
void HeapModel::check_links() {
  std::erase_if(links_, [&](const Link& link) {
    if (link.box != nullptr && !is_reachable(*link.box)) return true;
    const void* const contents = follow(link);
    if (contents == nullptr) {
      expect(!is_reachable(*link.target) || link.target->was_brought_back,
             "a link to a reachable object was cleared");
      return true;
    }
    expect(contents == link.target->start(), "a link changed");
    return false;
  });
}

}  // namespace jackdaw::fuzz
