// Inspection: what its signal's handler answers, and leaves as it was in the thread that it interrupts.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "gc/process/threads/inspection_signal.h"
#include "gc/report/inspection_page.h"
#include "jackdaw/gc.h"

namespace jackdaw::gc {
namespace {

// The page of an inspector, which is this process itself.
class OwnPage {
 public:
  explicit OwnPage(InspectionPage::Wish wish) : file_(memfd_create("page", MFD_CLOEXEC)) {
    const InspectionPage page{.inspected = getpid(), .wish = wish};
    EXPECT_EQ(pwrite(file_, &page, sizeof page, 0), static_cast<ssize_t>(sizeof page));
  }
  ~OwnPage() { close(file_); }
  OwnPage(const OwnPage&) = delete;
  OwnPage& operator=(const OwnPage&) = delete;

  void ask(pthread_t thread) const {
    sigval word{};
    word.sival_ptr = InspectionSignal::word_of(file_);
    EXPECT_EQ(pthread_sigqueue(thread, InspectionSignal::kNumber, word), 0);
  }
  [[nodiscard]] InspectionPage::State state() const {
    InspectionPage page;
    EXPECT_EQ(pread(file_, &page, sizeof page, 0), static_cast<ssize_t>(sizeof page));
    return page.state;
  }

 private:
  int file_;
};

// The handler opens a file, which is a cancellation point; the thread may hold a lock of the C library's.
TEST(Inspection, EndsNoThreadThatIsToBeCancelled) {
  GC_init();
  struct Thread {
    std::atomic<bool> runs{false};
    std::atomic<bool> is_to_end{false};
    static void* run(void* argument) {
      auto& self = *static_cast<Thread*>(argument);
      self.runs = true;
      while (!self.is_to_end) continue;
      return &self;
    }
  } calls;
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, Thread::run, &calls), 0);
  while (!calls.runs) continue;
  ASSERT_EQ(pthread_cancel(thread), 0);
  const OwnPage page(InspectionPage::Wish::figures);
  page.ask(thread);
  // A thread that ended would leave the page as it is.
  while (page.state() == InspectionPage::State::asked && pthread_tryjoin_np(thread, nullptr) != 0) continue;
  EXPECT_EQ(page.state(), InspectionPage::State::answered);
  calls.is_to_end = true;
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, &calls);
}

// Its inspector need not wait in vain. With the lock, no dump is begun meanwhile.
TEST(Inspection, ADumpThatIsWantedGivesWayToALaterOne) {
  GC_init();
  const OwnPage earlier(InspectionPage::Wish::dump);
  const OwnPage later(InspectionPage::Wish::dump);
  GC_alloc_lock();
  earlier.ask(pthread_self());
  const InspectionPage::State alone = earlier.state();
  later.ask(pthread_self());
  GC_alloc_unlock();
  EXPECT_EQ(alone, InspectionPage::State::queued);
  EXPECT_EQ(earlier.state(), InspectionPage::State::failed);
}

}  // namespace
}  // namespace jackdaw::gc
