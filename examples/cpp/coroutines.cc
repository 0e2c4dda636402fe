// Coroutines of C++20, each with a list to which only its frame refers.
// Usage: coroutines. Exit status: 0, 1 when a list has changed or memory is out.
#include <gc.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdlib>
#include <utility>

// A coroutine that is resumed until it ends.
class Task {
 public:
  // The frame holds the variables of a coroutine that waits. Uncollectable memory is searched like roots, and
  // freed by the Task's destructor.
  struct promise_type {
    static void* operator new(std::size_t bytes) {
      void* const frame = GC_MALLOC_UNCOLLECTABLE(bytes);
      if (frame == nullptr) std::exit(1);
      return frame;
    }
    static void operator delete(void* frame) { GC_FREE(frame); }

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() {}
    [[noreturn]] static void unhandled_exception() { std::exit(1); }
  };

  Task() = default;
  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  [[nodiscard]] bool is_done() const { return coroutine_.done(); }
  void resume() const { coroutine_.resume(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

struct Number {
  Number* next;
  long value;
};

// Makes a list, going back to the caller after each number, and then looks at it.
Task make_list() {
  Number* list = nullptr;
  for (long value = 0; value < 100; ++value) {
    Number* const number = static_cast<Number*>(GC_MALLOC(sizeof(Number)));
    if (number == nullptr) std::exit(1);
    *number = {std::exchange(list, number), value};
    co_await std::suspend_always();
  }
  for (long value = 99; value >= 0; --value, list = list->next)
    if (list == nullptr || list->value != value) std::exit(1);
}

int main() {
  GC_INIT();
  std::array<Task, 50> tasks;
  for (Task& one : tasks) one = make_list();
  for (; !tasks[0].is_done(); GC_gcollect())
    for (const Task& one : tasks) one.resume();
}
