// An outline: a document as a tree of sections, with a cache of their word counts.
//
//   outline [EDITS]
//
// Makes a document, edits it at random (2000 times, or EDITS), asks for word counts meanwhile, and compares
// each with a count from scratch. It shows Jackdaw's precise types:
//   Member        a section keeps its children;
//   WeakMember    it does not keep its parent, so a chapter that is taken out dies alone;
//   HeapVector    the children, a std::vector in the collected heap;
//   WeakMap       the counts: each lives as long as its section;
//   Persistent    the reference of a global variable;
//   a destructor  each section has a title in malloc's memory, which it frees.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include <jackdaw/cppgc.h>

namespace {

using jackdaw::GarbageCollected;
using jackdaw::MakeGarbageCollected;
using jackdaw::Member;
using jackdaw::Visitor;

class Section : public GarbageCollected<Section> {
 public:
  Section(std::string title, std::uint64_t words) : title_(std::move(title)), words_(words) { ++alive; }
  ~Section() { --alive; }

  void Trace(Visitor* visitor) const {
    visitor->Trace(parent_);
    visitor->Trace(children_);
  }

  [[nodiscard]] Section* parent() const { return parent_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] std::uint64_t words() const { return words_; }
  void set_words(std::uint64_t words) { words_ = words; }
  [[nodiscard]] std::size_t size() const { return children_->size(); }
  [[nodiscard]] Section* child(std::size_t index) const { return (*children_)[index]; }
  void add(Section* child) {
    children_->push_back(child);
    child->parent_ = this;
  }
  void remove(std::size_t index) {
    child(index)->parent_ = nullptr;
    children_->erase(children_->begin() + static_cast<std::ptrdiff_t>(index));
  }

  static int alive;

 private:
  std::string title_;
  std::uint64_t words_;  // in its own text
  jackdaw::WeakMember<Section> parent_;
  jackdaw::HeapVector<Member<Section>> children_;
};

int Section::alive = 0;

// A number in the collected heap, which refers to nothing.
struct Count : jackdaw::GarbageCollectedLeaf<Count> {
  explicit Count(std::uint64_t count) : words(count) {}
  const std::uint64_t words;
};

class Document : public GarbageCollected<Document> {
 public:
  explicit Document(Section* root) : root_(root) {}

  void Trace(Visitor* visitor) const {
    visitor->Trace(root_);
    visitor->Trace(counts_);
  }

  [[nodiscard]] Section* root() const { return root_; }
  // Returns the words of a section and all below it.
  std::uint64_t words_below(Section* section) {
    if (const Count* const known = counts_.find(section)) return known->words;
    std::uint64_t words = section->words();
    for (std::size_t i = 0; i < section->size(); ++i) words += words_below(section->child(i));
    counts_.set(section, MakeGarbageCollected<Count>(words));
    return words;
  }
  // Drops the counts of a section that has changed, and of all above it.
  void forget(Section* section) {
    for (; section != nullptr; section = section->parent()) counts_.erase(section);
  }

 private:
  Member<Section> root_;
  jackdaw::WeakMap<Section, Count> counts_;
};

std::uint64_t count_from_scratch(const Section* section) {
  std::uint64_t words = section->words();
  for (std::size_t i = 0; i < section->size(); ++i) words += count_from_scratch(section->child(i));
  return words;
}

jackdaw::Persistent<Document> document;
std::mt19937_64 random_number(1);

// Makes a section with some below it, at most five levels deep.
Section* new_section(int level) {
  auto* const section =
      MakeGarbageCollected<Section>("Section of level " + std::to_string(level), random_number() % 100);
  const std::uint64_t children = level == 5 ? 0 : random_number() % 6;
  for (std::uint64_t i = 0; i < children; ++i) section->add(new_section(level + 1));
  return section;
}

void edit() {
  Section* section = document->root();
  int level = 1;
  while (section->size() != 0 && random_number() % 3 != 0) {
    section = section->child(random_number() % section->size());
    ++level;
  }
  if (section->size() != 0 && random_number() % 2 == 0) {
    section->remove(random_number() % section->size());
  } else if (level < 5) {
    section->add(new_section(level + 1));
  } else {
    section->set_words(random_number() % 100);
  }
  document->forget(section);
}

int run(std::uint64_t edits) {
  document = MakeGarbageCollected<Document>(MakeGarbageCollected<Section>("Book", 0U));
  for (std::uint64_t i = 0; i < edits; ++i) {
    edit();
    const std::uint64_t words = document->words_below(document->root());
    if (words == count_from_scratch(document->root())) continue;
    std::fprintf(stderr, "outline: %" PRIu64 " words are not what there is\n", words);
    return 1;
  }
  jackdaw::collect_garbage();
  std::printf("%" PRIu64 " words in %d sections; %" PRIu64 " collections\n",
              document->words_below(document->root()), Section::alive,
              jackdaw::heap_statistics().collections);
  document.clear();
  // From here on no word of this stack is used as a reference.
  jackdaw::collect_garbage(jackdaw::StackState::holds_none);
  if (Section::alive == 0) return 0;
  std::fprintf(stderr, "outline: %d sections are left of a document that is gone\n", Section::alive);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  char* end = nullptr;
  const std::uint64_t edits = argc == 2 ? std::strtoull(argv[1], &end, 10) : 2000;
  if (argc > 2 || (end != nullptr && *end != '\0')) {
    std::fprintf(stderr, "outline: usage: outline [EDITS]\n");
    return 2;
  }
  return run(edits);
}
