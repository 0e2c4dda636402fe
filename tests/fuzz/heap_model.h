// HeapModel: what a fuzzed program has done, outside the collector's heap: the oracle of what must be there.
//
// Addresses of objects are inverted, so that no collection takes them for references. Objects that the model
// says are not reachable may still be there: stale words on stacks keep them.
#pragma once

#include "jackdaw/gc.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/fuzz/shapes.h"

namespace jackdaw::fuzz {

struct Node;

/// A reference to a place in an object; null where `node` is.
struct Reference {
  Node* node = nullptr;
  std::size_t offset = 0;

  [[nodiscard]] void* address() const;
};

enum class FinalizerKind : std::uint8_t { normal, ignore_self, no_order, unreachable };

struct Node {
  GC_hidden_pointer hidden;
  Shape shape;
  std::size_t bytes;                            // that were asked for
  std::size_t base_offset;                      // from the first address of its memory
  std::uint64_t seed;                           // of the words that are no references
  std::map<std::size_t, Reference> references;  // by word
  std::map<std::size_t, bool> link_words;       // that hold, or held, a link, which nothing else uses
  Reference key;                                // of a Cell's pair
  Reference value;
  Asked* asked = nullptr;
  std::optional<FinalizerKind> finalizer;  // registered, and not called yet
  Reference finalizer_data;
  std::uint64_t marked = 0;  // the last marking that found it
  bool is_gone = false;      // freed explicitly, or its memory is another object's
  bool was_brought_back = false;

  [[nodiscard]] std::byte* start() const { return static_cast<std::byte*>(GC_REVEAL_POINTER(hidden)); }
  [[nodiscard]] std::uint64_t* word(std::size_t index) const {
    return reinterpret_cast<std::uint64_t*>(start()) + index;
  }
  [[nodiscard]] std::size_t words() const { return bytes / sizeof(std::uint64_t); }
  [[nodiscard]] const Rules& rules() const { return rules_of(shape); }
  [[nodiscard]] bool is(Shape wanted) const { return shape == wanted; }
  [[nodiscard]] bool may_refer(std::size_t index) const {
    return index < words() && rules().refers(index) && !link_words.contains(index);
  }
};

/// A word outside the heap that is a root.
struct Root {
  void* volatile* place;
  Reference reference;
};

/// A link, in a word that no collection takes for a reference.
struct Link {
  void** outside = nullptr;  // where it is, or:
  Node* box = nullptr;       // the object, and its word
  std::size_t word = 0;
  Node* target = nullptr;
  bool is_long = false;
  bool is_hidden = false;  // its bits are inverted

  [[nodiscard]] void** place() const {
    return box == nullptr ? outside : reinterpret_cast<void**>(box->word(word));
  }
  [[nodiscard]] void* contents() const;
};

/// A finalizer of the program's: notes what it is called with, on any thread.
void note_finalized(void* object, void* data);

class HeapModel {
 public:
  /// Notes the object that was just allocated. The object there before must have been dead.
  Node& add(void* object, Shape shape, std::size_t bytes);
  /// Resizes the object; null when there is no memory. Then add_resized says where it is.
  static void* resize(Node& node, std::size_t bytes);
  Node& add_resized(Node& node, void* object, std::size_t bytes);
  void free(Node& node);

  /// Each of them as it is in memory, too.
  static void set(Root& root, Reference reference);
  static void set(Node& node, std::size_t word, Reference reference);
  static void set_pair(Node& cell, Node* key, Node* value);
  static void rewrite(Node& node, std::uint64_t seed);

  void register_finalizer(Node& node, FinalizerKind kind, Reference data);
  void take_finalizer_back(Node& node);
  /// A finalizer was called.
  Node& take_finalized(void* object, void* data);
  /// Whatever is reached from the node may have lost its links.
  void bring_back(Node& node);

  void register_link(Link link);
  void move_link(std::size_t index, void** outside);
  void unregister_link(std::size_t index);
  /// Returns the object that the link leads to, null when the link was cleared.
  static void* follow(const Link& link);

  /// Whether nothing but one root refers to the node, and it may be freed explicitly or moved.
  [[nodiscard]] bool has_one_reference(const Node& node) const;
  /// Finds out what is reachable.
  void mark();
  [[nodiscard]] bool is_reachable(const Node& node) const { return node.marked == marking_; }
  /// All that is reachable is as it was made, and what died is known to those that ask.
  void check();

  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  std::deque<Node>& nodes() { return nodes_; }
  std::vector<Link>& links() { return links_; }
  std::vector<Root*>& roots() { return roots_; }
  /// Every finalizer is being called, whether or not its object is reachable.
  bool finalizes_all = false;

 private:
  void forget(Node& node);
  Node& insert(void* object, Shape shape, std::size_t bytes);
  void note_died(Node& node);
  void mark_from(Node* node);
  bool mark_values();
  void check_pair(Node& cell);
  void check_asked();
  void check_links();
  void check_order(const Node& node);
  [[nodiscard]] bool reaches(const Node& from, const Node& to) const;

  std::deque<Node> nodes_;
  std::map<std::uintptr_t, Node*> by_end_;  // by where its memory ends
  std::vector<Link> links_;
  std::vector<Root*> roots_;
  std::vector<Node*> to_visit_;
  std::uint64_t marking_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace jackdaw::fuzz
