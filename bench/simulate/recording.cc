#include "bench/simulate/recording.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>

#include "heap/chunk.h"
#include "heap/type_descriptor.h"
#include "mark/slices.h"
#include "tools/command/input_error.h"
#include "tools/command/progress.h"

namespace jackdaw::bench {

namespace {

using Layout = heap::TypeDescriptor::Layout;
using mark::Slices;

}  // namespace

// The numbers of nodes and mark lines by address.
class Recording::Numbers {
 public:
  static constexpr RecordedNode kNone = ~RecordedNode{0};

  // Returns where the object's number is kept; kNone at first.
  RecordedNode& number_of(const heap::Object* object) {
    return part_of(object).numbers[offset_of(object) / heap::kGranuleBytes];
  }
  // Returns the line of the object's mark: a bit for each granule, 512 bits in a line.
  std::uint32_t line_of(const heap::Object* object) {
    return part_of(object).number * kLinesOfChunk + offset_of(object) / kBytesOfLine;
  }
  // Returns a bound on all lines.
  [[nodiscard]] std::uint32_t line_count() const {
    return static_cast<std::uint32_t>(parts_.size()) * kLinesOfChunk;
  }

 private:
  static constexpr std::uint32_t kBytesOfLine = 512 * heap::kGranuleBytes;
  static constexpr std::uint32_t kLinesOfChunk = heap::kChunkBytes / kBytesOfLine;

  struct Part {
    explicit Part(std::uint32_t its_number)
        : number(its_number), numbers(heap::kChunkBytes / heap::kGranuleBytes, kNone) {}
    std::uint32_t number;
    std::vector<RecordedNode> numbers;
  };

  static std::uint32_t offset_of(const heap::Object* object) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(object) % heap::kChunkBytes);
  }
  Part& part_of(const heap::Object* object) {
    const heap::Chunk* const chunk = heap::Chunk::of(object);
    if (chunk != last_chunk_) {
      std::unique_ptr<Part>& part = parts_[chunk];
      if (part == nullptr) part = std::make_unique<Part>(static_cast<std::uint32_t>(parts_.size() - 1));
      last_chunk_ = chunk;
      last_part_ = part.get();
    }
    return *last_part_;
  }

  std::unordered_map<const heap::Chunk*, std::unique_ptr<Part>> parts_;
  // The last chunk that was looked up, as neighbours in the graph are often neighbours in memory.
  const heap::Chunk* last_chunk_ = nullptr;
  Part* last_part_ = nullptr;
};

// It goes level by level: nodes are then visited in the order of their numbers, and each one's references lie
// together.
class Recording::Traversal {
 public:
  Traversal(Recording& into, std::span<heap::Object* const> roots) : into_(into) {
    for (heap::Object* const root : roots) {
      if (root != nullptr) into_.roots_.push_back(discover(root));
    }
  }

  void run() {
    tools::Progress progress("recording the marking");
    while (!waiting_.empty()) {
      const Part next = waiting_.front();
      waiting_.pop_front();
      into_.starts_.push_back(static_cast<std::uint32_t>(into_.references_.size()));
      if (into_.is_task(static_cast<RecordedNode>(into_.starts_.size() - 1))) visit(next);
      progress.update(into_.starts_.size(), 0);
    }
    into_.starts_.push_back(static_cast<std::uint32_t>(into_.references_.size()));
    into_.lines_ = numbers_.line_count();
  }

 private:
  // An object, or a node of its slice tree.
  struct Part {
    heap::Object* object;
    std::uint32_t node;
  };

  RecordedNode add(Part part, std::uint32_t mark) {
    const std::size_t number = into_.marks_.size();
    if (number >= kPart || into_.references_.size() >= kPart)
      throw tools::InputError("the graph is too large to be simulated; take a smaller one");
    into_.marks_.push_back(mark);
    if ((mark & kLeaf) == 0) ++into_.tasks_;
    waiting_.push_back(part);
    return static_cast<RecordedNode>(number);
  }

  RecordedNode discover(heap::Object* object) {
    RecordedNode& number = numbers_.number_of(object);
    if (number == Numbers::kNone) {
      const std::uint32_t leaf = object->type()->holds_references() ? 0 : kLeaf;
      number = add({object, Slices::kWhole}, numbers_.line_of(object) | leaf);
    }
    return number;
  }

  // The last of an odd number of words comes first, as in gc::HeapObjectModel.
  void refer_to_words(heap::Object* object, std::uint64_t begin, std::uint64_t end) {
    if ((end - begin) % 2 != 0) refer_to(*object->slot(--end));
    for (std::uint64_t word = begin; word < end; ++word) refer_to(*object->slot(word));
  }
  void refer_to(heap::Object* target) {
    if (target != nullptr) into_.references_.push_back(discover(target));
  }

  void visit(Part part) {
    const heap::TypeDescriptor& type = *part.object->type();
    switch (type.layout()) {
      case Layout::none:
        break;
      case Layout::words:
        refer_to_words(part.object, type.words().first, type.words().first + type.words().count);
        break;
      case Layout::offsets:
        for (const std::uint32_t word : type.reference_words()) refer_to(*part.object->slot(word));
        break;
      case Layout::reference_array:
        visit_array(part);
        break;
    }
  }

  void visit_array(Part part) {
    const std::uint64_t length = part.object->array_length();
    Slices::Range range{0, length};
    if (Slices::is_cut(length)) range = leave_halves(part, Slices(length));
    refer_to_words(part.object, heap::Object::kArrayHeaderWords + range.begin,
                   heap::Object::kArrayHeaderWords + range.end);
  }

  // Returns the slice that the worker that takes the part visits; the halves left over become nodes.
  Slices::Range leave_halves(Part part, const Slices& slices) {
    std::uint32_t node = part.node;
    for (; !slices.is_slice(node); node = Slices::kept_half(node)) {
      const std::uint32_t half = Slices::waiting_half(node);
      const Slices::Range rest = slices.range_of(half);
      if (rest.begin < rest.end) into_.references_.push_back(add({part.object, half}, kPart));
    }
    return slices.range_of(node);
  }

  Recording& into_;
  Numbers numbers_;
  std::deque<Part> waiting_;  // discovered, in the order of their numbers
};

Recording::Recording(std::span<heap::Object* const> roots) { Traversal(*this, roots).run(); }

Recording::Recording(const std::vector<std::vector<RecordedNode>>& targets, std::vector<RecordedNode> roots,
                     const std::vector<std::uint32_t>& lines)
    : marks_(lines), roots_(std::move(roots)), tasks_(targets.size()) {
  starts_.push_back(0);
  for (const std::vector<RecordedNode>& of_node : targets) {
    references_.insert(references_.end(), of_node.begin(), of_node.end());
    starts_.push_back(static_cast<std::uint32_t>(references_.size()));
  }
  for (const std::uint32_t line : lines) lines_ = std::max(lines_, line + 1);
}

}  // namespace jackdaw::bench
