#include "gc/process/inspection.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include "base/cancellation.h"
#include "base/line_text.h"
#include "base/page_vector.h"
#include "base/quiet_write.h"
#include "gc/process/snapshot_marking.h"
#include "gc/process/threads/own_work.h"

namespace jackdaw::gc {

namespace {

// The ELF note of InspectionNote. The assembler gives its section the type that makes the linker keep it.
asm(".pushsection .note.jackdaw,\"a\",%note\n"
    ".balign 4\n"
    ".long 8, 0, 1\n"
    ".asciz \"Jackdaw\"\n"
    ".popsection\n");
static_assert(InspectionNote::kType == 1);

// The path of an open file of another process, without malloc.
class PathInProc {
 public:
  PathInProc(pid_t process, int descriptor) {
    path_ << "/proc/" << static_cast<std::uint64_t>(process) << "/fd/"
          << static_cast<std::uint64_t>(static_cast<std::uint32_t>(descriptor)) << std::string_view("\0", 1);
  }
  [[nodiscard]] const char* text() const { return path_.text().data(); }

 private:
  base::LineText path_;
};

std::uint64_t count(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

}  // namespace

// An inspector's file, open for an answer or a dump. In a signal handler, too.
class InspectionFile {
 public:
  InspectionFile(pid_t inspector, int descriptor)
      : number_(open(PathInProc(inspector, descriptor).text(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  ~InspectionFile() {
    if (number_ >= 0) close(number_);
  }
  InspectionFile(const InspectionFile&) = delete;
  InspectionFile& operator=(const InspectionFile&) = delete;

  /// Reads the page. False where there is none for the process `inspected`, made by this one's user.
  bool read(InspectionPage& page, pid_t inspected) const {
    return is_of_user() && pread(number_, &page, sizeof page, 0) == static_cast<ssize_t>(sizeof page) &&
           page.magic == InspectionPage::kMagic && page.inspected == inspected;
  }
  bool write(const InspectionPage& page) const { return write_all(std::as_bytes(std::span(&page, 1))); }
  bool write_profile(std::span<const std::byte> profile) const { return is_of_user() && write_all(profile); }
  [[nodiscard]] int number() const { return number_; }
  /// Tells the inspector the state, unless it no longer waits.
  void set_state(pid_t inspected, InspectionPage::State state) const {
    InspectionPage page;
    if (!read(page, inspected) || page.state == InspectionPage::State::withdrawn) return;
    page.state = state;
    write(page);
  }

 private:
  // A regular file does not keep its writer waiting.
  [[nodiscard]] bool is_of_user() const {
    struct stat status {};
    return number_ >= 0 && fstat(number_, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == geteuid();
  }
  [[nodiscard]] bool write_all(std::span<const std::byte> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::span<const std::byte> rest = bytes.subspan(done);
      const ssize_t written = base::write_quietly(
          rest.size(), [&] { return pwrite(number_, rest.data(), rest.size(), static_cast<off_t>(done)); });
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      done += static_cast<std::size_t>(written);
    }
    return true;
  }

  int number_;
};

void Inspection::fill_in(InspectionPage& page) {
  page.collections = parts_.counters.collections();
  page.heap_bytes = parts_.heap.bytes();
  page.live_bytes = parts_.counters.live_bytes();
  page.longest_pause_ns = count(parts_.counters.longest_pause());
  page.all_pauses_ns = count(parts_.counters.all_pauses());
  const std::unique_lock lock(parts_.lock, std::try_to_lock);
  page.processor_ns = lock ? count(parts_.processor_time()) : 0;
}

// The kernel lets the process's own user look into it unless it gained rights or asked to be left alone.
bool Inspection::answer(pid_t inspector, int descriptor) {
  // To open a file is a cancellation point, which the interrupted code need not be.
  const base::CancellationDisabled guard;
  if (prctl(PR_GET_DUMPABLE) != 1) return false;
  const InspectionFile file(inspector, descriptor);
  InspectionPage page;
  if (!file.read(page, getpid()) || page.state != InspectionPage::State::asked) return false;
  fill_in(page);
  const bool is_for_later = page.wish != InspectionPage::Wish::figures;
  page.state = is_for_later ? InspectionPage::State::queued : InspectionPage::State::answered;
  if (!file.write(page) || !is_for_later) return false;
  // Relaxed: the word is all that there is to know.
  const Wanted before = wanted_.exchange({inspector, descriptor}, std::memory_order_relaxed);
  if (before.inspector != 0)
    InspectionFile(before.inspector, before.descriptor).set_state(getpid(), InspectionPage::State::failed);
  return true;
}

bool Inspection::serve(std::uintptr_t stack_pointer) {
  if (!is_wanted()) return true;
  const base::CancellationDisabled guard;
  const std::unique_lock lock(parts_.lock, std::try_to_lock);
  if (!lock) return false;
  // Relaxed: as in answer().
  const Wanted wanted = wanted_.exchange({}, std::memory_order_relaxed);
  if (wanted.inspector == 0) return true;
  const InspectionFile file(wanted.inspector, wanted.descriptor);
  InspectionPage page;
  if (!file.read(page, getpid()) || page.state != InspectionPage::State::queued) return true;
  if (!carry_out(page, file, wanted.inspector, stack_pointer))
    file.set_state(getpid(), InspectionPage::State::failed);
  return true;
}

bool Inspection::carry_out(const InspectionPage& page, const InspectionFile& file, pid_t inspector,
                           std::uintptr_t stack_pointer) {
  using Wish = InspectionPage::Wish;
  Profiling& profiling = parts_.profiling;
  bool is_done = false;
  switch (page.wish) {
    case Wish::figures:
      return false;  // the handler has answered
    case Wish::dump:
      return fork_writer(file, PathInProc(inspector, page.pipe).text(), stack_pointer);
    case Wish::start_profile:
      is_done = profiling.start_for(inspector, page.sample_every, std::chrono::nanoseconds(page.profile_ns));
      break;
    case Wish::end_profile: {
      base::PageVector<std::byte> profile;
      is_done = profiling.end_for(inspector, profile) &&
                InspectionFile(inspector, page.pipe).write_profile(profile.span());
      break;
    }
  }
  if (is_done) file.set_state(getpid(), InspectionPage::State::complete);
  return is_done;
}

// Returns whether there is a child that writes the dump. It has both files open, as the inspector that they
// are opened by may be gone when it ends, and compresses nothing, as this thread may hold a lock of the
// loader's. The locks are taken in the order of a fork's, so that the marking thread is between two steps.
bool Inspection::fork_writer(const InspectionFile& file, const char* pipe, std::uintptr_t stack_pointer) {
  HeapDumps& dumps = parts_.reports.dumps();
  {
    const OwnWork own_work;
    if (dumps.is_left_one_written()) return false;
    try {
      dumps.request_at(pipe);
      dumps.prepare(parts_.counters.collections());
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  if (dumps.is_prepared()) {
    const pid_t inspected = getpid();
    file.set_state(inspected, InspectionPage::State::begun);
    const std::lock_guard steps(parts_.marking.steps());
    StaticRoots& static_data = parts_.roots.static_data();
    const bool knows_roots = static_data.take([this] { parts_.threads.stops().stop_others(); });
    if (knows_roots) {
      const auto write = [&](DumpStream& stream) {
        const bool is_whole = world_.write_snapshot(stream, {stack_pointer});
        file.set_state(inspected, is_whole ? InspectionPage::State::complete : InspectionPage::State::failed);
        return is_whole;
      };
      dumps.fork_and_write(write, file.number());
    }
    parts_.threads.stops().resume_others();
    static_data.mutex().unlock();
  }
  const OwnWork own_work;
  dumps.release();
  return dumps.leave_requested();
}

}  // namespace jackdaw::gc
