// The ways in which C++ programs use gc_cpp.h and gc_allocator.h. It compiles against libgc's headers as it
// does against ours, and is only compiled.
#include <list>
#include <map>
#include <string>
#include <vector>

#include "gc_allocator.h"
#include "gc_cpp.h"

int classes();
int containers();

namespace {

class Node : public gc {
 public:
  explicit Node(Node* next) : next_(next) {}
  Node* next() const { return next_; }

 private:
  Node* next_;
};

class File : public gc_cleanup {
 public:
  explicit File(int* closed) : closed_(closed) {}
  ~File() override { ++*closed_; }

 private:
  int* closed_;
};

// A class with a member that has clean-up, and not itself one of the collector's.
struct Pair {
  File first;
  File second;
};

struct Plain {
  double value;
};

void GC_CALLBACK clean_up(void* object, void* data) { *static_cast<int*>(data) += object != nullptr; }

}  // namespace

GC_DECLARE_PTRFREE(Plain);

int classes() {
  GC_INIT();
  static int closed = 0;  // clean-up may come late
  Node* list = nullptr;
  for (int n = 0; n < 10; ++n) list = new Node(list);
  Node* const uncollected = new (NoGC) Node(list);
  Node* const placed = new (UseGC) Node(list);
  Node* const nodes = static_cast<Node*>(::operator new(sizeof(Node), GC));
  new (static_cast<void*>(nodes)) Node(uncollected);
  File* const file = new File(&closed);
  Pair* const pair = new (GC) Pair{File(&closed), File(&closed)};
  int* const numbers = new (PointerFreeGC) int[100];
  Plain* const plain = ::new (GC, clean_up, &closed) Plain();
  char* const text = new (GC) char[10];
  File on_the_stack(&closed);
  delete uncollected;
  delete file;
  return closed + numbers[0] + text[0] + static_cast<int>(plain->value) + (placed->next() == list) +
         (pair == nullptr);
}

int containers() {
  std::vector<int, gc_allocator<int>> numbers(10, 1);
  std::vector<Plain, gc_allocator_ignore_off_page<Plain>> plains(10);
  std::list<Node*, traceable_allocator<Node*>> roots;
  std::map<int, Node*, std::less<int>, gc_allocator<std::pair<const int, Node*>>> table;
  std::basic_string<char, std::char_traits<char>, gc_allocator<char>> text("text");
  roots.push_back(new Node(nullptr));
  table[1] = roots.front();
  std::vector<int, gc_allocator<int>> others(numbers);
  others.swap(numbers);
  const gc_allocator<int> one;
  const gc_allocator<char> other(one);
  return one == other && !(one != other) ? static_cast<int>(numbers.size() + text.size() + plains.size()) : 0;
}
