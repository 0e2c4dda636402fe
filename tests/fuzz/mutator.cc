#include "tests/fuzz/mutator.h"

#include "jackdaw/gc.h"

#include <utility>

namespace jackdaw::fuzz {

Mutator::Mutator(bool waits_blocked) : waits_blocked_(waits_blocked) {
  expect(GC_pthread_create(&thread_, nullptr, run_thread, this) == 0, "a thread did not start");
  wait();
}

Mutator::~Mutator() {
  wait();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  GC_pthread_join(thread_, nullptr);
}

void Mutator::begin(std::function<void()> task) {
  wait();
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    is_busy_ = true;
  }
  changed_.notify_all();
}

void Mutator::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !is_busy_; });
}

void* Mutator::await_task(void* self) {
  auto& mutator = *static_cast<Mutator*>(self);
  std::unique_lock lock(mutator.mutex_);
  mutator.is_busy_ = false;
  mutator.changed_.notify_all();
  mutator.changed_.wait(lock, [&] { return mutator.is_busy_ || mutator.is_ending_; });
  return mutator.is_busy_ ? self : nullptr;
}

void* Mutator::run_thread(void* self) {
  auto& mutator = *static_cast<Mutator*>(self);
  std::array<void* volatile, kRoots> places{};
  for (std::size_t i = 0; i < kRoots; ++i) mutator.roots_[i] = {&places[i], {}};
  while ((mutator.waits_blocked_ ? GC_do_blocking(await_task, self) : await_task(self)) != nullptr)
    mutator.task_();
  GC_reachable_here(places.data());
  return nullptr;
}

}  // namespace jackdaw::fuzz
