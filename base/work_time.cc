#include "base/work_time.h"

#include "base/processor_time.h"

namespace jackdaw::base {

// The model avoids a call of the thread library at each access, which might call malloc.
[[gnu::tls_model("initial-exec")]] constinit thread_local const WorkTime::Span* WorkTime::own_ = nullptr;

WorkTime::Span::Span(WorkTime& work)
    : work_(work),
      is_nested_(own_ != nullptr),
      begin_(is_nested_ ? std::chrono::nanoseconds::zero() : processor_time()) {
  if (!is_nested_) own_ = this;
}

WorkTime::Span::~Span() {
  if (is_nested_) return;
  own_ = nullptr;
  const std::chrono::nanoseconds time = so_far();
  // Relaxed, here and below: a sum that publishes nothing.
  std::chrono::nanoseconds ended = work_.ended_.load(std::memory_order_relaxed);
  while (!work_.ended_.compare_exchange_weak(ended, ended + time, std::memory_order_relaxed)) continue;
}

std::chrono::nanoseconds WorkTime::Span::so_far() const { return processor_time() - begin_; }

std::chrono::nanoseconds WorkTime::total() const {
  const std::chrono::nanoseconds ended = ended_.load(std::memory_order_relaxed);
  return own_ != nullptr && &own_->work_ == this ? ended + own_->so_far() : ended;
}

}  // namespace jackdaw::base
