// A program with the precise collector, as docs/linking.md has it: makes lists, most of them garbage, and
// counts the last one.
#include <cstdint>
#include <cstdio>

#include <jackdaw/collector.h>

namespace {

using namespace jackdaw;

constexpr std::uint64_t kLength = 1000;
constexpr std::uint64_t kLists = 2000;

// A list node: header word, then one reference in word 1, then a number in word 2.
const auto kNodeType = TypeDescriptor::offsets(24, {1});

std::uint64_t length_of(const Object* list) {
  std::uint64_t length = 0;
  for (; list != nullptr; list = *list->slot(1)) ++length;
  return length;
}

}  // namespace

int main() {
  CollectorOptions options;
  options.marking.engine.threads = 2;
  Collector collector(options);
  Mutator mutator(collector);
  Handle list(mutator);
  for (std::uint64_t i = 0; i < kLists * kLength; ++i) {
    Object* const node = mutator.allocate(kNodeType);
    if (node == nullptr) return 1;
    *node->slot(1) = i % kLength == 0 ? nullptr : list.get();
    list = node;
  }
  const Handle large(mutator, mutator.allocate_array(TypeDescriptor::reference_array(), 1));
  mutator.safepoint();
  mutator.collect();
  std::printf("%s\n", collector.collections() > 1 ? "collected" : "not collected");
  return large.get() != nullptr && length_of(list.get()) == kLength ? 0 : 1;
}
