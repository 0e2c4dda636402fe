#include "gc/process/threads/own_work.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "base/page_memory.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "mark/thread_pool.h"

namespace jackdaw::gc {

namespace {

// The model avoids a call of the thread library at each access, which might call malloc.
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned depth = 0;

// It lies before each piece of memory that is given out.
struct alignas(16) Header {
  std::byte* block;
  std::size_t size_class;  // the block has 2 to the power of this bytes
};

struct FreeBlock {
  FreeBlock* next;
};

constexpr std::size_t kSmallestClass = 6;
constexpr std::size_t kClasses = 48;
constexpr std::size_t kFirstPieceBytes = std::size_t{1} << 16;
// Each piece is larger than the one before.
constexpr std::size_t kMostPieces = 64;
constexpr std::size_t kPiecesOfOneLength = 4;

constinit StoppableMutex mutex;  // guards all below
constinit std::array<std::span<std::byte>, kMostPieces> pieces{};
constinit std::atomic<std::size_t> piece_count{0};  // may be read without the lock
constinit std::span<std::byte> rest{};              // what is left of the last piece
constinit std::array<FreeBlock*, kClasses> free_blocks{};

bool add_piece(std::size_t bytes) {
  const std::size_t count = piece_count.load(std::memory_order_relaxed);
  if (count == kMostPieces) return false;
  rest = base::PageMemory::allocate(std::max(bytes, kFirstPieceBytes << (count / kPiecesOfOneLength)));
  pieces[count] = rest;
  // Release: pairs with the acquire in search, so that the piece is seen.
  piece_count.store(rest.empty() ? count : count + 1, std::memory_order_release);
  return !rest.empty();
}

// Returns a zeroed block, or null. With the lock.
std::byte* take_block(std::size_t size_class) {
  const std::size_t bytes = std::size_t{1} << size_class;
  FreeBlock*& first = free_blocks[size_class];
  if (first != nullptr) {
    auto* const block = reinterpret_cast<std::byte*>(std::exchange(first, first->next));
    std::memset(block, 0, bytes);
    return block;
  }
  if (rest.size() < bytes && !add_piece(bytes)) return nullptr;
  std::byte* const block = rest.data();
  rest = rest.subspan(bytes);
  return block;
}

Header* header_of(const void* memory) { return const_cast<Header*>(static_cast<const Header*>(memory)) - 1; }

}  // namespace

OwnWork::OwnWork() : hidden_(std::exchange(AllocatingThread::current_, nullptr)) { ++depth; }

// The thread may have been registered in the meantime.
OwnWork::~OwnWork() {
  --depth;
  if (hidden_ != nullptr) AllocatingThread::current_ = hidden_;
}

bool OwnWork::is_under_way() { return depth != 0 || mark::ThreadPool::is_helper(); }

void* OwnMemory::allocate(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kLargest = std::size_t{1} << (kClasses - 2);
  // The bounds keep the sum below from overflowing.
  if (bytes > kLargest || alignment > kLargest) return nullptr;
  const std::size_t least = std::max(alignment, alignof(Header));
  const std::size_t size_class =
      std::max<std::size_t>(std::bit_width(bytes + sizeof(Header) + least - 1), kSmallestClass);
  if (size_class >= kClasses) return nullptr;
  std::byte* block = nullptr;
  {
    const std::lock_guard lock(mutex);
    block = take_block(size_class);
  }
  if (block == nullptr) return nullptr;
  // Release: pairs with the acquire in owns.
  is_used_.store(true, std::memory_order_release);
  std::byte* const first = block + sizeof(Header);
  std::byte* const memory = first + (-reinterpret_cast<std::uintptr_t>(first) & (least - 1));
  *header_of(memory) = {block, size_class};
  return memory;
}

constinit std::atomic<bool> OwnMemory::is_used_{false};

bool OwnMemory::search(const void* address) {
  // Acquire: pairs with the release in add_piece.
  const std::size_t count = piece_count.load(std::memory_order_acquire);
  return std::any_of(pieces.begin(), pieces.begin() + count, [address](std::span<const std::byte> piece) {
    return piece.data() <= address && address < piece.data() + piece.size();
  });
}

std::size_t OwnMemory::bytes_of(const void* memory) {
  const Header& header = *header_of(memory);
  const std::byte* const end = header.block + (std::size_t{1} << header.size_class);
  return static_cast<std::size_t>(end - static_cast<const std::byte*>(memory));
}

void OwnMemory::free(void* memory) {
  const Header header = *header_of(memory);
  auto* const block = reinterpret_cast<FreeBlock*>(header.block);
  const std::lock_guard lock(mutex);
  block->next = std::exchange(free_blocks[header.size_class], block);
}

void OwnMemory::lock() { mutex.lock(); }
void OwnMemory::unlock() { mutex.unlock(); }
void OwnMemory::unlock_in_child() {
  mutex.forget_queue();
  mutex.unlock();
}

}  // namespace jackdaw::gc
