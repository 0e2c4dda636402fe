#include "tests/fuzz/heap_program.h"

#include "jackdaw/gc.h"
#include "jackdaw/gc_disclaim.h"
#include "jackdaw/javaxfc.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "gc/process/process_collector.h"
#include "tests/fuzz/heap_model.h"
#include "tests/fuzz/held_phase.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/shapes.h"
#include "tests/gc/clean_stack.h"

namespace jackdaw::fuzz {

namespace {

constexpr std::size_t kPlaces = 12;  // of roots of one sort
constexpr std::size_t kLinkWords = 32;
constexpr std::size_t kOthers = 208;  // of 256 objects, the others are cells
constexpr std::size_t kMostMutators = 3;
constexpr std::size_t kMostNodes = 3000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostHeapBytes = std::size_t{256} << 20;
constexpr std::size_t kMostKept = std::size_t{128} << 20;  // by old words
constexpr std::size_t kMostFinalized = 4 * kMostNodes;

struct Finalized {
  void* object;
  void* data;
};

// Roots: the objects whose finalizers were called on any thread, and what the program itself has not seen
// yet.
std::array<Finalized, kMostFinalized> finalized;
std::atomic<std::size_t> finalized_count{0};

std::array<void* volatile, kPlaces> static_places;
thread_local std::array<void* volatile, kPlaces> local_places;
void** added_places;  // in a range that the program adds
void** link_words;    // in memory that is no root

// The displacements that were registered, where not all interior pointers count.
std::array<bool, 64> displacements{true};

// A list that is whole as long as the calling thread alone refers to it, among garbage.
void churn(std::size_t length) {
  struct Link {
    Link* next;
    std::size_t number;
  };
  Link* list = nullptr;
  for (std::size_t i = 0; i < length; ++i) {
    auto* const link = static_cast<Link*>(GC_malloc(sizeof(Link)));
    if (link == nullptr) return;
    *link = {list, i};
    list = link;
    GC_reachable_here(GC_malloc(16 + i % 500));
    if (i % 64 == 0) GC_free(GC_malloc_atomic(20'000));
  }
  for (std::size_t i = length; i-- > 0; list = list->next)
    expect(list != nullptr && list->number == i, "a thread's list changed", i);
}

// Enough objects for several mark threads, which a table alone refers to.
class Forest {
 public:
  void plant() {
    if (trees_ != nullptr) return;
    trees_ = static_cast<Tree**>(GC_malloc(kTrees * sizeof(Tree*)));
    for (std::size_t i = 0; trees_ != nullptr && i < kTrees; ++i) {
      trees_[i] = grow(i, 3);
      sum_ += trees_[i] == nullptr ? 0 : i;
    }
  }
  // Trees change places, so that an old one is found in a word that may have been visited already.
  void shuffle(std::size_t step) {
    if (trees_ == nullptr) return;
    for (std::size_t i = 0; i < kTrees; ++i) std::swap(trees_[i], trees_[i * (2 * step + 1) % kTrees]);
  }
  void check() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; trees_ != nullptr && i < kTrees; ++i)
      sum += trees_[i] == nullptr ? 0 : check(*trees_[i]);
    expect(trees_ == nullptr || sum == sum_, "a tree went", sum);
  }
  void fell() { trees_ = nullptr; }

 private:
  static constexpr std::size_t kTrees = 1024;
  struct Tree {
    std::array<Tree*, 2> branches;
    std::size_t number;
  };
  static Tree* grow(std::size_t number, unsigned depth) {
    auto* const tree = static_cast<Tree*>(GC_malloc(sizeof(Tree)));
    if (tree == nullptr) return nullptr;
    tree->number = number;
    for (Tree*& branch : tree->branches) branch = depth == 0 ? nullptr : grow(number, depth - 1);
    return tree;
  }
  static std::size_t check(const Tree& tree) {
    for (const Tree* branch : tree.branches)
      expect(branch == nullptr || check(*branch) == tree.number, "a branch changed", tree.number);
    return tree.number;
  }

  Tree** trees_ = nullptr;
  std::size_t sum_ = 0;
};

class HeapProgram {
 public:
  explicit HeapProgram(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    for (std::size_t i = 0; i < kPlaces; ++i) {
      own_roots_.push_back({&static_places[i], {}});
      own_roots_.push_back({&local_places[i], {}});
      own_roots_.push_back({&stack_places_[i], {}});
      own_roots_.push_back({added_places + i, {}});
    }
    find_roots();
    const std::size_t settings = next();
    GC_set_finalize_on_demand((settings & 1) != 0);
    GC_set_free_space_divisor(3);
    GC_set_force_unmap_on_gcollect(0);
    GC_set_java_finalization((settings & 2) != 0);
  }

  void run() {
    static constexpr std::array kSteps{
        &HeapProgram::allocate,
        &HeapProgram::allocate,
        &HeapProgram::allocate,
        &HeapProgram::allocate,
        &HeapProgram::allocate_many,
        &HeapProgram::drop,
        &HeapProgram::copy_root,
        &HeapProgram::store,
        &HeapProgram::store,
        &HeapProgram::load,
        &HeapProgram::move,
        &HeapProgram::move,
        &HeapProgram::clear_word,
        &HeapProgram::rewrite,
        &HeapProgram::pair,
        &HeapProgram::free,
        &HeapProgram::resize,
        &HeapProgram::finalizer,
        &HeapProgram::link,
        &HeapProgram::follow,
        &HeapProgram::change_link,
        &HeapProgram::collect,
        &HeapProgram::collect_a_bit,
        &HeapProgram::begin_cycle,
        &HeapProgram::hold_phase,
        &HeapProgram::let_phase_go_on,
        &HeapProgram::garbage,
        &HeapProgram::start_mutator,
        &HeapProgram::end_mutator,
        &HeapProgram::churn_beside,
        &HeapProgram::check,
        &HeapProgram::settings,
        &HeapProgram::call_finalizers,
    };
    while (at_ < bytes_.size()) {
      (this->*kSteps[next() % kSteps.size()])();
      take_finalized();
    }
    finish();
  }

 private:
  std::size_t next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }

  // ---- What to do it to ----

  void find_roots() {
    model_.roots().clear();
    for (Root& root : own_roots_) model_.roots().push_back(&root);
    for (const auto& mutator : mutators_) {
      for (Root& root : mutator->roots()) model_.roots().push_back(&root);
    }
  }
  Root& any_root() { return *model_.roots()[next() % model_.roots().size()]; }
  // An empty one is passed over.
  Root* full_root() {
    const auto& roots = model_.roots();
    const std::size_t first = next();
    for (std::size_t i = 0; i < roots.size(); ++i) {
      Root* const root = roots[(first + i) % roots.size()];
      if (root->reference.node != nullptr) return root;
    }
    return nullptr;
  }
  // One that is reachable, up to three steps from a root. Null when nothing is.
  Node* any_node() {
    const Root* const root = full_root();
    if (root == nullptr) return nullptr;
    Node* node = root->reference.node;
    for (std::size_t way = next(); (way & 3) != 0; way >>= 2) {
      const Reference* const step = any_reference(*node, way >> 2);
      if (step == nullptr) break;
      node = step->node;
    }
    return node;
  }
  // A cell that is reachable and, most often, not a root.
  Node* any_cell() {
    const std::size_t first = next();
    for (std::size_t i = 0; i < model_.roots().size(); ++i) {
      Node* cell = model_.roots()[(first + i) % model_.roots().size()]->reference.node;
      if (cell == nullptr || !cell->is(Shape::cell)) continue;
      const Reference* const step = any_reference(*cell, 0);
      return step == nullptr ? cell : step->node;
    }
    return nullptr;
  }
  static const Reference* any_reference(const Node& node, std::size_t choice) {
    if (node.references.empty()) return nullptr;
    auto found = node.references.begin();
    std::advance(found, choice % node.references.size());
    return found->second.node == nullptr ? nullptr : &found->second;
  }
  // A word of the node that may hold a reference.
  static std::optional<std::size_t> any_word(const Node& node, std::size_t choice) {
    const std::size_t words = node.words();
    for (std::size_t i = 0; i < std::min<std::size_t>(words, 40); ++i) {
      const std::size_t word = (choice * (words / 40 + 1) + i) % words;
      if (node.may_refer(word)) return word;
    }
    return std::nullopt;
  }
  Reference place_in(Node& node) {
    const std::size_t choice = next();
    if (GC_get_all_interior_pointers() == 0) {
      const std::size_t offset = choice % 64;
      return {&node, node.base_offset == 0 && offset < node.bytes && displacements[offset] ? offset : 0};
    }
    const std::size_t offset = choice == 255 ? node.bytes : choice * node.bytes / 255;
    return {&node, std::min(offset, node.rules().reachable_bytes)};
  }
  // Into a cell go references to cells alone, for its type says so.
  static bool fits(const Node& into, const Node& node) {
    return !into.is(Shape::cell) || node.is(Shape::cell);
  }

  // ---- Objects ----

  std::size_t any_size() {
    const std::size_t choice = next();
    const std::size_t fine = next();
    if (choice < 180) return choice * fine / 128;          // up to 360
    if (choice < 230) return 256 + (choice - 180) * fine;  // up to 13,000
    if (choice < 250) return (choice - 229) * 1024 + 64 * fine;
    return (choice - 249) * 16'384 + 256 * fine;  // several blocks
  }

  void allocate() {
    const std::size_t chosen = next();
    const Shape shape = chosen >= kOthers ? Shape::cell : static_cast<Shape>(chosen % kShapes);
    const Rules& rules = rules_of(shape);
    std::size_t bytes = std::max(any_size(), rules.least_bytes);
    bytes -= bytes % rules.unit_bytes;
    if (shape == Shape::cell) bytes = sizeof(Cell);
    if (model_.node_count() >= kMostNodes || model_.bytes() + bytes > kMostBytes) return;
    const std::size_t choice = next();
    Root& root = any_root();
    // The thread that it is the root of: what that has at hand is used.
    Mutator* const mutator = mutator_with(root);
    Asked* const asked = shape == Shape::asked ? next_asked() : nullptr;
    const auto allocate_here = [&, place = root.place] { *place = rules.allocate(bytes, choice); };
    root.reference = {};
    if (mutator != nullptr) {
      mutator->run(allocate_here);
    } else {
      allocate_here();
    }
    void* const object = *root.place;
    if (object == nullptr) return;
    Node& node = model_.add(object, shape, bytes);
    node.asked = asked;
    root.reference = {&node};
  }
  Mutator* mutator_with(const Root& root) {
    for (const auto& mutator : mutators_) {
      if (&root >= mutator->roots().data() && &root < mutator->roots().data() + Mutator::kRoots)
        return mutator.get();
    }
    return nullptr;
  }

  // A list, of which every second object becomes one of its own, and the others are dropped.
  void allocate_many() {
    const std::size_t bytes = 16 + next();
    if (model_.node_count() + 100 >= kMostNodes) return;
    void* list = GC_malloc_many(bytes);
    for (std::size_t i = 0; i < 8 && list != nullptr; ++i) {
      void* const object = std::exchange(list, GC_NEXT(list));
      GC_NEXT(object) = nullptr;
      Node& node = model_.add(object, Shape::words, bytes);
      HeapModel::set(any_root(), {&node});
    }
  }

  void drop() {
    if (Root* const root = full_root()) HeapModel::set(*root, {});
  }
  void copy_root() {
    const Root* const from = full_root();
    if (from != nullptr) HeapModel::set(any_root(), place_in(*from->reference.node));
  }
  void store() {
    Node* const into = any_node();
    Node* const node = any_node();
    if (into == nullptr || !fits(*into, *node)) return;
    if (const auto word = any_word(*into, next())) HeapModel::set(*into, *word, place_in(*node));
  }
  void load() {
    const Node* const from = any_node();
    if (from == nullptr) return;
    const Reference* const reference = any_reference(*from, next());
    if (reference != nullptr) HeapModel::set(any_root(), *reference);
  }
  // From one object to another, through a register at most.
  void move() {
    Node* const from = any_node();
    Node* const into = any_node();
    if (from == nullptr || from->references.empty()) return;
    auto found = from->references.begin();
    std::advance(found, next() % from->references.size());
    const auto [from_word, reference] = *found;
    const auto word = any_word(*into, next());
    if (!word || reference.node == nullptr || !fits(*into, *reference.node)) return;
    HeapModel::set(*into, *word, reference);
    if (from != into || from_word != *word) HeapModel::set(*from, from_word, {});
  }
  void clear_word() {
    Node* const node = any_node();
    if (node == nullptr) return;
    if (const auto word = any_word(*node, next())) HeapModel::set(*node, *word, {});
  }
  void rewrite() {
    Node* const node = any_node();
    if (node != nullptr) HeapModel::rewrite(*node, next());
  }
  void pair() {
    Node* const cell = any_cell();
    Node* const key = any_cell();
    Node* const value = any_cell();
    if (cell != nullptr) HeapModel::set_pair(*cell, key, value);
  }

  void free() {
    Root* const root = full_root();
    if (root == nullptr) return;
    Node& node = *root->reference.node;
    if (!node.rules().may_be_freed || !model_.has_one_reference(node)) return;
    HeapModel::set(*root, {});
    model_.free(node);
  }
  void resize() {
    Root* const root = full_root();
    if (root == nullptr) return;
    Node& node = *root->reference.node;
    const std::size_t bytes = std::max<std::size_t>({any_size(), node.rules().least_bytes, 1});
    if (!node.rules().may_be_resized || !model_.has_one_reference(node)) return;
    if (model_.bytes() + bytes > kMostBytes || model_.node_count() >= kMostNodes) return;
    HeapModel::set(*root, {&node});
    void* const object = model_.resize(node, bytes);
    if (object == nullptr) return;
    *root->place = object;
    root->reference = {&model_.add_resized(node, object, bytes)};
  }

  // ---- Finalizers and links ----

  void finalizer() {
    Node* const node = any_node();
    Node* const data = any_node();
    const std::size_t choice = next();
    if (node == nullptr || node->is(Shape::asked) || node->is(Shape::cell)) return;
    if (node->rules().lives_until_freed) return;
    if (node->finalizer) {
      if (choice % 4 == 0) model_.take_finalizer_back(*node);
      return;
    }
    const std::size_t kinds = GC_get_java_finalization() != 0 ? 4 : 3;
    model_.register_finalizer(*node, static_cast<FinalizerKind>(choice % kinds),
                              choice < 128 ? Reference{} : Reference{data});
  }
  void call_finalizers() { GC_invoke_finalizers(); }

  void take_finalized() {
    for (std::size_t i = 0; i < finalized_count.load(); ++i) {
      Node& node = model_.take_finalized(finalized[i].object, finalized[i].data);
      if (!model_.finalizes_all && node.seed % 2 == 0) {
        model_.bring_back(node);
        HeapModel::set(any_root(), {&node});
      }
    }
    if (finalized_count.load() == 0) return;
    std::ranges::fill(std::span(finalized).first(finalized_count.load()), Finalized{});
    finalized_count.store(0);
  }

  void link() {
    Node* const target = any_node();
    Node* const box = any_node();
    const std::size_t choice = next();
    if (target == nullptr) return;
    Link link{.target = target, .is_long = (choice & 1) != 0, .is_hidden = (choice & 2) != 0};
    if ((choice & 4) != 0) {
      link.outside = free_link_word();
      if (link.outside == nullptr) return;
    } else {
      const std::size_t word = choice / 8;
      if (word >= box->words() || box->link_words.contains(word) || box->references.contains(word)) return;
      if (box->is(Shape::cell) || box->is(Shape::asked)) return;
      if (box->rules().refers(word)) link.is_hidden = true;
      link.box = box;
      link.word = word;
    }
    model_.register_link(link);
  }
  void** free_link_word() {
    const std::size_t first = next();
    for (std::size_t i = 0; i < kLinkWords; ++i) {
      void** const word = link_words + (first + i) % kLinkWords;
      if (std::ranges::find(model_.links(), word, &Link::outside) == model_.links().end()) return word;
    }
    return nullptr;
  }
  Link* any_link(std::size_t& index) {
    if (model_.links().empty()) return nullptr;
    index = next() % model_.links().size();
    Link& link = model_.links()[index];
    model_.mark();
    return link.box == nullptr || model_.is_reachable(*link.box) ? &link : nullptr;
  }
  void follow() {
    std::size_t index = 0;
    const Link* const link = any_link(index);
    if (link == nullptr) return;
    Node& target = *link->target;
    const bool was_reachable = model_.is_reachable(target);
    Root& root = any_root();
    root.reference = {};
    *root.place = HeapModel::follow(*link);
    if (*root.place == nullptr) return;
    if (!was_reachable) model_.bring_back(target);
    root.reference = {&target};
  }
  void change_link() {
    std::size_t index = 0;
    const Link* const link = any_link(index);
    if (link == nullptr) return;
    if (next() % 2 == 0) {
      model_.unregister_link(index);
      return;
    }
    void** const outside = free_link_word();
    // While it may be cleared, its word must not be copied.
    if (outside != nullptr && model_.is_reachable(*link->target) && !link->target->was_brought_back)
      model_.move_link(index, outside);
  }

  // ---- Collections ----

  void collect() {
    held_.reset();
    static constexpr std::array<void (*)(), 4> kWays{GC_gcollect, GC_gcollect_and_unmap,
                                                     [] { GC_try_to_collect([] { return 1; }); },
                                                     [] { GC_try_to_collect([] { return 0; }); }};
    kWays[next() % kWays.size()]();
  }
  void collect_a_bit() { GC_collect_a_little(); }
  void begin_cycle() { GC_start_incremental_collection(); }
  void hold_phase() {
    if (!held_) held_.emplace();
  }
  void let_phase_go_on() {
    held_.reset();
    auto& marking = gc::ProcessCollector::instance().concurrent_marking();
    if (next() % 2 == 0 && marking.phase() == gc::ConcurrentMarking::Phase::marking)
      marking.await_end_of(gc::ConcurrentMarking::Phase::marking, std::chrono::milliseconds(20));
  }
  void garbage() {
    const std::size_t bytes = any_size();
    for (std::size_t i = next(); i > 0 && bytes * i < kMostBytes; --i)
      GC_reachable_here(i % 2 == 0 ? GC_malloc(bytes) : GC_malloc_atomic(bytes));
  }

  void tend_forest() {
    const std::size_t choice = next();
    forest_.plant();
    forest_.shuffle(choice);
  }

  // ---- Threads ----

  void start_mutator() {
    const bool waits_blocked = next() % 2 != 0;
    if (mutators_.size() == kMostMutators) return;
    mutators_.push_back(std::make_unique<Mutator>(waits_blocked));
    find_roots();
  }
  void end_mutator() {
    if (mutators_.empty()) return;
    const std::size_t index = next() % mutators_.size();
    mutators_[index]->wait();
    std::swap(mutators_[index], mutators_.back());
    std::unique_ptr<Mutator> ended = std::move(mutators_.back());
    mutators_.pop_back();
    find_roots();
  }
  void churn_beside() {
    const std::size_t length = 8 * next();
    if (!mutators_.empty()) mutators_[next() % mutators_.size()]->begin([length] { churn(length); });
  }

  // ---- The rest ----

  void check() {
    model_.check();
    forest_.check();
  }
  void settings() {
    const std::size_t choice = next();
    switch (choice % 8) {
      case 0:
        GC_disable();
        ++disabled_;
        break;
      case 1:
        enable();
        break;
      case 2:
        GC_expand_hp(choice << 13);
        break;
      case 3:
        displacements[choice / 8 * 2] = true;
        GC_register_displacement(choice / 8 * 2);
        break;
      case 4:
        GC_start_mark_threads();
        break;
      case 5:
        GC_set_force_unmap_on_gcollect(choice >= 128);
        break;
      case 6:
        GC_set_finalize_on_demand(choice >= 128);
        break;
      default:
        GC_set_free_space_divisor(1 + choice / 16);
    }
  }
  void enable() {
    if (disabled_ == 0) return;
    GC_enable();
    --disabled_;
  }

  // Leaves nothing behind but what old words keep.
  void finish() {
    held_.reset();
    while (disabled_ > 0) enable();
    for (const auto& mutator : mutators_) mutator->wait();
    take_finalized();
    check();
    forest_.fell();
    model_.finalizes_all = true;
    GC_finalize_all();
    take_finalized();
    for (const Node& node : model_.nodes())
      expect(!node.finalizer.has_value(), "a finalizer was never called");
    model_.check();
    while (!model_.links().empty()) model_.unregister_link(model_.links().size() - 1);
    for (Root* root : model_.roots()) HeapModel::set(*root, {});
    mutators_.clear();
    for (Node& node : model_.nodes()) {
      if (node.rules().lives_until_freed && !node.is_gone) model_.free(node);
    }
    clean_stack();
    GC_gcollect();
    finish_asked();
    expect(GC_get_memory_use() < kMostKept, "what nothing refers to is not freed", GC_get_memory_use());
  }
  void finish_asked();

  const std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  HeapModel model_;
  std::vector<std::unique_ptr<Mutator>> mutators_;
  std::array<void* volatile, kPlaces> stack_places_{};
  std::deque<Root> own_roots_;
  std::optional<HeldPhase> held_;
  Forest forest_;  // on the stack, as the program is
  std::size_t disabled_ = 0;
};

// No object outlives the program's run whose death it would be told of.
void HeapProgram::finish_asked() {
  for (Node& node : model_.nodes()) {
    if (node.asked == nullptr || node.is_gone) continue;
    if (node.asked->times == 0) model_.free(node);
    node.asked->is_in_use = false;
  }
}

}  // namespace

void note_finalized(void* object, void* data) {
  const std::size_t index = finalized_count.fetch_add(1);
  expect(index < finalized.size(), "the fuzzer has no room for so many finalizers", index);
  finalized[index] = {object, data};
}

void start_collector() {
  setenv("JACKDAW_MINIMUM_BUDGET", "256k", 0);
  setenv("JACKDAW_MARKERS", "2", 0);
  GC_INIT();
  GC_set_max_heap_size(kMostHeapBytes);
  GC_set_warn_proc(GC_ignore_warn_proc);
  make_kinds();
  added_places = static_cast<void**>(std::calloc(kPlaces, sizeof(void*)));
  link_words = static_cast<void**>(std::calloc(kLinkWords, sizeof(void*)));
  expect(added_places != nullptr && link_words != nullptr, "the fuzzer has no memory");
  GC_add_roots(added_places, added_places + kPlaces);
}

void run_heap_program(std::span<const std::uint8_t> bytes) { HeapProgram(bytes).run(); }

}  // namespace jackdaw::fuzz
