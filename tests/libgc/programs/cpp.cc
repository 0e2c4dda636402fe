// C++: the operators of libgccpp, and what the headers for C++ have.
#include "gc_allocator.h"
#include "gc_cpp.h"

#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

void GC_throw_bad_alloc();

static int cleaned = 0;

struct Node : public gc {
  Node* next;
  int value;
  Node(Node* n, int v) : next(n), value(v) {}
};

struct Cleaned : public gc_cleanup {
  int value;
  Cleaned() : value(42) {}
  virtual ~Cleaned() { cleaned += value == 42; }
};

static Node* list(int length) {
  Node* first = 0;
  for (int value = length; value > 0; --value) first = new Node(first, value - 1);
  return first;
}

static bool is_whole(const Node* node, int length) {
  int value = 0;
  for (; node != 0 && node->value == value; node = node->next) ++value;
  return node == 0 && value == length;
}

__attribute__((__noinline__)) static void drop_cleaned() {
  for (int n = 0; n < 1000; ++n) new Cleaned;
}

static void* GC_CALLBACK give_up(size_t) { throw std::bad_alloc(); }

static void* GC_CALLBACK throw_through(void*) { throw std::runtime_error("through"); }

int main() {
  // Before the collector is told to begin.
  std::map<std::string, std::unique_ptr<int>> names;
  names["a name that is too long for the string itself"].reset(new int(1));
  GC_INIT();
  int* const number = new int(7);
  int* const numbers = new int[100];
  std::printf("of the heap: %d %d\n", GC_base(number) != 0, GC_base(numbers) != 0);

  std::vector<Node*> kept;  // its memory is scanned
  for (int n = 0; n < 100; ++n) kept.push_back(list(100));
  std::vector<Node*, gc_allocator<Node*>> also_kept(kept.begin(), kept.end());
  for (int n = 0; n < 200; ++n) list(1000);
  GC_gcollect();
  for (int n = 0; n < 200; ++n) list(1000);
  bool whole = true;
  for (std::size_t n = 0; n < kept.size(); ++n)
    whole = whole && is_whole(kept[n], 100) && also_kept[n] == kept[n];
  std::printf("lists are %s\n", whole ? "whole" : "broken");
  delete number;
  delete[] numbers;

  drop_cleaned();
  for (int n = 0; n < 3; ++n) GC_gcollect();
  GC_invoke_finalizers();
  std::printf("cleaned: %s\n", cleaned >= 900 && cleaned <= 1000 ? "all" : "others");

  try {
    GC_throw_bad_alloc();
  } catch (const std::bad_alloc&) {
    std::printf("bad_alloc\n");
  }
  try {
    volatile std::size_t most = ~std::size_t{0} / 2;
    char* volatile memory = new char[most];
    delete[] memory;
  } catch (const std::bad_alloc&) {
    std::printf("no memory for operator new\n");
  }
  GC_set_oom_fn(give_up);
  try {
    volatile std::size_t most = ~std::size_t{0} / 2;
    std::printf("%p\n", GC_MALLOC(most));
  } catch (const std::bad_alloc&) {
    std::printf("thrown by the out-of-memory function\n");
  }
  try {
    GC_do_blocking(throw_through, 0);
  } catch (const std::runtime_error& error) {
    std::printf("thrown %s\n", error.what());
  }
  std::printf("%zu name\n", names.size());
  return 0;
}
