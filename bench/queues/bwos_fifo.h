// BwosFifo: the block-based work-stealing queue with a first-in-first-out owner.
//
// Source: Wang et al., "BWoS: Formally Verified Block-based Work Stealing for Parallel Processing", OSDI
// 2023, §3 (design; §3.4 for stealing from a sampled block) and §4 (implementation), for FIFO.
//
// The queue is a ring of NB blocks of NE entries. One thread, the owner, puts into the back block and gets
// from the front block. All other threads are thieves: they steal from the blocks behind the front one, the
// back block included, where they meet the owner's puts but never its gets. Inside a block the owner works as
// on a plain ring: without read-modify-write or acquire, and with one release store for each put. When its
// gets move to the next block, it takes that block over: tasks that thieves have claimed are theirs, the rest
// is the owner's.
//
// Block numbers only grow; block v lies in slot v mod NB and is in round v div NB. Every word that describes
// a block carries the round, so that a word of one round is never taken for one of another. Words of one
// format compare, and subtract, as a whole.
//
//   b_pos    round, entries put                              owner puts, thieves read
//   s_pos    round, next entry to claim; or owned            thieves claim, owner opens and takes over
//   s_cnt    round, steals that have read their entry        thieves count, owner reads and resets
//   finished the value of s_cnt once the last thief has read owner only
//
// The front block's position (the paper's f_pos) and end are the owner's private members.
//
// Three things differ from the paper. Thieves' steals count only what thieves claimed: the owner remembers
// where it took a block over (`finished`) instead of adding its own share to s_cnt. Gets pass a block that
// thieves have emptied without taking it over, and puts may use such a slot again although gets have not come
// by. And the owner can give from the front block when thieves find nothing (grant_early).
//
// Invariants
//  1. front <= back <= front + NB, and back == front + NB only when nothing is left in the front block.
//  2. The front block is never stealable: it is owned, or thieves claimed all of it.
//  3. A block that is owned is never granted again in its round. So a block is done, for thieves, when it is
//     owned or has NE entries claimed, and stays so until its slot's next round.
//  4. Every block between front and back has NE entries; only the front block, which thieves cannot see into,
//     is ever closed with fewer.
//  5. The index in s_pos never falls within a round. So a successful compare-and-swap claims entries that
//     no other thread has; they are read after the claim.
//  6. All blocks below the thieves' bottom are done.
//  7. The owner never waits: a slot whose thieves have not all finished reading counts as full.
//
// Threads: the constructor, push, pop, grant_early, offers_tasks and counters are the owner's; steal,
// steal_some, steal_sampled, steal_some_sampled, has_stealable, looks_stealable and size_hint may be called
// by any other thread at any time. The comment at each memory_order names the access that it pairs with.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/page_array.h"
#include "base/prefetch.h"
#include "mark/queue/block_memory.h"
#include "mark/queue/block_ring.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

template <typename TaskType>
class BwosFifo {
  static_assert(std::is_trivially_copyable_v<TaskType>, "a stolen task is copied as plain bytes");

 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// Makes a queue of `block_count` blocks of `block_size` tasks, or of fewer blocks where addresses are
  /// scarce. Throws std::invalid_argument when a size is out of range, std::bad_alloc when memory is short.
  explicit BwosFifo(std::size_t block_count = mark::BlockRing::kDefaultBlockCount,
                    std::size_t block_size = mark::BlockRing::kDefaultBlockSize)
      : BwosFifo(Memory::reserve(block_count, block_size)) {}

  BwosFifo(const BwosFifo&) = delete;
  BwosFifo& operator=(const BwosFifo&) = delete;

  /// Owner. Puts a task at the back. False, with nothing changed, when the back block is full and its
  /// successor's slot still holds a task or is being read by a thief. Wait-free, O(1).
  bool push(Task task) {
    if (back_position() == back_full_) [[unlikely]] {
      if (!advance_back()) return false;
    }
    const std::uint64_t position = back_position();
    back_entries_[index_of(position)] = task;
    publish(position + 1);
    return true;
  }

  /// Owner. Takes the oldest task that no thief has claimed. False when there is none. Wait-free, O(1), and
  /// O(blocks) in all for passing the blocks that thieves emptied.
  bool pop(Task& task) {
    if (front_position_ == front_end_) [[unlikely]] {
      if (!see_puts() && !advance_front()) return false;
    }
    const std::uint64_t position = front_position_;
    task = front_entries_[index_of(position)];
    front_position_ = position + 1;
    return true;
  }

  /// Thief. Claims the oldest stealable task. Lock-free, O(blocks) at most; a constant number of steps for
  /// each block that is done.
  mark::StealOutcome steal(Task& task) { return steal_some({&task, 1}).outcome; }

  /// Thief. Claims, at once, the oldest stealable tasks that lie in one block, up to room.size() (at least
  /// 1), and copies them to `room`, oldest first. Lock-free; O(blocks) at most, and a constant number of
  /// steps for each task.
  mark::BatchSteal steal_some(std::span<Task> room) { return claim(find_stealable(), room); }

  /// Thief. Steals as steal() does, but from the block that `sample` picks, as in looks_stealable(); empty
  /// when that block has nothing. Lock-free, O(1).
  mark::StealOutcome steal_sampled(std::uint64_t sample, Task& task) {
    return steal_some_sampled(sample, {&task, 1}).outcome;
  }

  /// Thief. Steals as steal_some() does, but from the block that `sample` picks, as in looks_stealable();
  /// empty when that block has nothing. Lock-free; a constant number of steps for each task.
  mark::BatchSteal steal_some_sampled(std::uint64_t sample, std::span<Task> room) {
    const std::uint32_t slot = sampled_slot(sample);
    // Relaxed: the claim decides.
    return claim(look_into(slot, blocks_[slot].s_pos.load(std::memory_order_relaxed)), room);
  }

  /// Any thread. Whether a steal that begins now could find something. The answer may be out of date at once.
  bool has_stealable() { return find_stealable().count != 0; }

  /// Any thread. Whether the block that `sample` picks, one of the first kSampledBlocks from the thieves'
  /// bottom on, has something to steal: for a uniformly random sample, true with the probability that the
  /// share of such blocks has (paper §3.4). Touches three cache lines, or two when the block is done.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return stealable_in(sampled_slot(sample)) != 0;
  }

  /// Any thread. Returns about how many tasks thieves could find. O(blocks that hold some), two cache lines
  /// each, and those that are done as in a steal: this is the cost of size-based choices of a victim.
  [[nodiscard]] std::size_t size_hint() const {
    std::size_t size = 0;
    // Relaxed, both: a hint; nothing is read on the strength of it.
    mark::BlockNumber number = mark::BlockNumber::unpacked(bottom_.load(std::memory_order_relaxed));
    for (std::size_t steps = 0; steps <= 2 * ring_.block_count(); ++steps) {
      const Round round = round_of(blocks_[number.slot].s_pos.load(std::memory_order_relaxed));
      if (round == number.round - 1) break;  // not open yet
      if (round == number.round) size += stealable_in(number.slot);
      number = after_done(number, round);
    }
    return size;
  }

  /// Owner. Whether thieves have something left. O(blocks); a constant number of steps while the newest
  /// blocks have something. False is certain: thieves took all behind the front block.
  [[nodiscard]] bool offers_tasks() const {
    std::uint64_t put = index_of(back_position());
    for (mark::BlockNumber number = back_; number != front_; number = ring_.predecessor(number)) {
      // Relaxed: a hint; thieves may take the rest at any moment.
      const std::uint64_t s_pos = blocks_[number.slot].s_pos.load(std::memory_order_relaxed);
      if (index_of(s_pos) < put) return true;
      put = ring_.block_size();
    }
    return false;
  }

  /// Owner. Moves the newer half of the front block's tasks, as far as there is room, to the back block,
  /// where thieves reach them; if the front block is the back one, to the next block. It is for idle thieves
  /// where a block's worth of tasks may never come together (the open problem of the paper's §8). False, with
  /// nothing changed, when thieves have something already, the front block holds fewer than two tasks, or no
  /// block is free. The order of the tasks remains. O(blocks + block size).
  bool grant_early() {
    see_puts();
    const std::uint64_t held = front_end_ - front_position_;
    if (held < 2 || offers_tasks()) return false;
    if (front_ == back_ || back_position() == back_full_) {
      if (!advance_back()) return false;
    }
    const std::uint64_t given = std::min(held / 2, back_full_ - back_position());
    front_end_ -= given;
    std::copy_n(front_entries_ + index_of(front_end_), given, back_entries_ + index_of(back_position()));
    publish(back_position() + given);
    return true;
  }

  /// Owner. Returns how many blocks were opened to thieves, and how many taken over with something left,
  /// since the queue was made.
  [[nodiscard]] const mark::QueueCounters& counters() const { return counters_; }

  /// Bytes that the queue holds beside itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return ring_.block_count() * (sizeof(Block) + ring_.block_size() * sizeof(Task));
  }

 private:
  using Round = mark::BlockNumber::Round;

  // Words that only puts write lie two cache lines apart from those that thieves write, because processors
  // fetch lines in pairs. Slots begin in round 0, in which nothing was put; work begins in round 1.
  struct alignas(128) Block {
    std::atomic<std::uint64_t> b_pos{0};
    alignas(128) std::atomic<std::uint64_t> s_pos{0};
    std::atomic<std::uint64_t> s_cnt{0};
    std::uint64_t finished = 0;
  };
  using Memory = mark::BlockMemory<Block, Task>;
  // A range that a thief may claim: `count` entries from s_pos on. If that is 0, the outcome says why.
  struct Stealable {
    std::uint64_t s_pos;
    std::uint64_t count;
    std::uint32_t slot;
    mark::StealOutcome outcome;
  };

  explicit BwosFifo(Memory memory)
      : ring_(memory.ring), blocks_(std::move(memory.blocks)), entries_(std::move(memory.entries)) {
    // Puts and gets begin in one block, so it is owned from the start and no thief ever claims in it.
    open(mark::BlockNumber::first(), kOwnedIndex, 0);
    front_ = back_;
    front_position_ = front_end_ = back_position();
    front_entries_ = back_entries_;
    // Relaxed: the thread that shares the queue with thieves publishes it to them.
    bottom_.store(front_.packed(), std::memory_order_relaxed);
  }

  // The index of s_pos while the block is the owner's, above every index in a block.
  static constexpr std::uint64_t kOwnedIndex = 0xffffffff;

  // All words hold the round in bits 32 to 63, and an index, count or slot below.
  static std::uint64_t position(Round round, std::uint64_t index) {
    return (std::uint64_t{round} << 32) | index;
  }
  static std::uint64_t index_of(std::uint64_t word) { return word & 0xffffffff; }
  static Round round_of(std::uint64_t word) { return mark::BlockNumber::round_of(word); }

  // Returns how many entries lie between the next to claim and the last put, both of one round.
  static std::uint64_t count_between(std::uint64_t s_pos, std::uint64_t b_pos) {
    return round_of(s_pos) == round_of(b_pos) && s_pos < b_pos ? b_pos - s_pos : 0;
  }
  // Whether nothing in a block is left to thieves in this round.
  [[nodiscard]] bool is_done(std::uint64_t s_pos) const { return index_of(s_pos) >= ring_.block_size(); }

  [[nodiscard]] Task* entries_of(std::uint32_t slot) const {
    return entries_.data() + slot * ring_.block_size();
  }

  // Owner. Returns where the next put goes. A private copy would cost every put a store to another cache
  // line.
  [[nodiscard]] std::uint64_t back_position() const {
    // Relaxed: only the owner writes it.
    return back_b_pos_->load(std::memory_order_relaxed);
  }

  // Owner. Whether puts have reached the front block since gets last saw its end.
  bool see_puts() {
    if (front_ != back_) return false;
    const std::uint64_t seen = front_end_;
    front_end_ = back_position();
    return front_end_ != seen;
  }

  // Owner. Publishes the back block's entries below `end` to thieves, which look only where s_pos is not
  // owned.
  void publish(std::uint64_t end) {
    // Release: pairs with the acquire in look_into(), so thieves see the entries, and s_cnt as reset in
    // open().
    back_b_pos_->store(end, std::memory_order_release);
  }

  // Owner. Makes block `number` the empty back block, thieves claiming from `first` on, and finished when
  // they have read `claims` entries.
  void open(mark::BlockNumber number, std::uint64_t first, std::uint64_t claims) {
    Block& block = blocks_[number.slot];
    block.finished = position(number.round, claims);
    // Relaxed, all: the slot is done, so no claim can be overwritten here, and none succeeds before a thief
    // has acquired what publish() releases.
    block.s_cnt.store(position(number.round, 0), std::memory_order_relaxed);
    block.s_pos.store(position(number.round, first), std::memory_order_relaxed);
    block.b_pos.store(position(number.round, 0), std::memory_order_relaxed);
    back_ = number;
    back_full_ = position(number.round, ring_.block_size());
    back_entries_ = entries_of(number.slot);
    back_b_pos_ = &block.b_pos;
  }

  // Owner. Opens the next block for puts, and to thieves, if its slot is free.
  [[gnu::noinline]] bool advance_back() {
    const mark::BlockNumber next = ring_.successor(back_);
    Block& block = blocks_[next.slot];
    if (next.slot == front_.slot && front_position_ != front_end_) return false;
    // Acquire: pairs with the release in claim(), so that thieves' reads come before the owner's writes. For
    // a block that gets have not reached, it also proves that thieves took everything.
    if (block.s_cnt.load(std::memory_order_acquire) != block.finished) return false;
    if (front_ == back_) {
      front_end_ = back_position();
    } else if (front_.slot == back_.slot) {
      // The back is a whole ring ahead, so the slot that it enters is that of the block after the front one,
      // which thieves have emptied. Gets need not visit it; they have nothing left where they are, either.
      front_ = ring_.successor(front_);
    }
    // Entries that thieves have read are prefetched before they are overwritten.
    base::prefetch_to_write(entries_of(next.slot), index_of(block.finished));
    open(next, 0, ring_.block_size());
    ++counters_.grants;
    return true;
  }

  // Owner, when nothing is left in the front block. Moves to the first block with tasks that thieves have
  // left, and takes it over.
  [[gnu::noinline]] bool advance_front() {
    while (front_ != back_) {
      const mark::BlockNumber next = ring_.successor(front_);
      const bool is_back = next == back_;
      const std::uint64_t end = is_back ? back_position() : position(next.round, ring_.block_size());
      // Relaxed: what looks claimed is claimed, as the index never falls; else the exchange decides.
      const bool emptied = blocks_[next.slot].s_pos.load(std::memory_order_relaxed) == end;
      if (emptied && is_back) return false;  // left to thieves, which will see later puts
      front_ = next;
      if (!emptied && take_over(end)) return true;
    }
    return false;
  }

  // Owner. Takes what thieves have not claimed of the front block, which at present ends at `end`.
  bool take_over(std::uint64_t end) {
    Block& block = blocks_[front_.slot];
    // Relaxed: the entries from here on are the owner's own writes, and a thief reads only what it has
    // claimed.
    const std::uint64_t left =
        block.s_pos.exchange(position(front_.round, kOwnedIndex), std::memory_order_relaxed);
    block.finished = left;
    front_position_ = left;
    front_end_ = end;
    front_entries_ = entries_of(front_.slot);
    if (left == end) return false;
    ++counters_.takeovers;
    return true;
  }

  // Thief. Returns what can be claimed of a slot's block, given the s_pos read there.
  [[nodiscard]] Stealable look_into(std::uint32_t slot, std::uint64_t s_pos) const {
    // A block that is done needs no look at the line that the owner may be writing.
    if (is_done(s_pos)) return {s_pos, 0, slot, mark::StealOutcome::empty};
    // Acquire: pairs with the release in publish().
    const std::uint64_t b_pos = blocks_[slot].b_pos.load(std::memory_order_acquire);
    return {s_pos, count_between(s_pos, b_pos), slot, mark::StealOutcome::empty};
  }

  // Any thread.
  [[nodiscard]] std::uint32_t sampled_slot(std::uint64_t sample) const {
    // Relaxed: a hint where to look.
    return ring_.sampled_slot(mark::BlockNumber::unpacked(bottom_.load(std::memory_order_relaxed)).slot,
                              sample);
  }

  // Any thread. Returns about how many tasks could be stolen from a slot's block.
  [[nodiscard]] std::uint64_t stealable_in(std::uint32_t slot) const {
    // Relaxed, both: a hint; nothing is read on the strength of it.
    const std::uint64_t s_pos = blocks_[slot].s_pos.load(std::memory_order_relaxed);
    if (is_done(s_pos)) return 0;
    return count_between(s_pos, blocks_[slot].b_pos.load(std::memory_order_relaxed));
  }

  // Thief. Claims as much as there is room for, and then reads it.
  mark::BatchSteal claim(const Stealable& found, std::span<Task> room) {
    if (found.count == 0) return {found.outcome, 0};
    Block& block = blocks_[found.slot];
    const std::uint64_t count = std::min<std::uint64_t>(room.size(), found.count);
    std::uint64_t expected = found.s_pos;
    // Relaxed: it need only be atomic. The entries were acquired with b_pos, and are not overwritten before
    // the count below, which release keeps after the reads.
    if (!block.s_pos.compare_exchange_strong(expected, expected + count, std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
      return {mark::StealOutcome::contended, 0};
    }
    std::copy_n(entries_of(found.slot) + index_of(found.s_pos), count, room.data());
    // Release: pairs with the acquire in advance_back(), so the owner overwrites the entries after this read.
    block.s_cnt.fetch_add(count, std::memory_order_release);
    return {mark::StealOutcome::taken, count};
  }

  // Thief. Returns the oldest block with something to steal, and moves the bottom past blocks that are done.
  Stealable find_stealable() {
    // Relaxed: a hint where to look; the round in s_pos tells whether the look is at the right block.
    std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    // A search takes one step to catch up, then at most the ring that was found and the ring that may follow
    // it.
    for (std::size_t steps = 0; steps <= 2 * ring_.block_count(); ++steps) {
      const mark::BlockNumber number = mark::BlockNumber::unpacked(bottom);
      // Relaxed: the claim decides.
      const std::uint64_t s_pos = blocks_[number.slot].s_pos.load(std::memory_order_relaxed);
      const Round round = round_of(s_pos);
      if (round == number.round && !is_done(s_pos)) return look_into(number.slot, s_pos);
      if (round == number.round - 1)
        return {s_pos, 0, number.slot, mark::StealOutcome::empty};  // not open yet
      const std::uint64_t next = after_done(number, round).packed();
      // Relaxed: as the load above. A failure brings what another thief has moved it to.
      if (bottom_.compare_exchange_strong(bottom, next, std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
        bottom = next;
      }
    }
    return {0, 0, 0, mark::StealOutcome::contended};
  }

  // Thief. Returns the oldest block that may not be done, given that block `number` is done or that its slot
  // was seen in another round. A slot is in a round only when its block of the round before is done, and then
  // all older blocks are. A bottom may be any number of rounds behind, as the owner may go around any number
  // of times while no thief looks: so nothing here compares rounds that wrap around.
  [[nodiscard]] mark::BlockNumber after_done(mark::BlockNumber number, Round seen) const {
    return ring_.successor(seen == number.round ? number : mark::BlockNumber{seen - 1, number.slot});
  }

  // These lines are the owner's: thieves never read them.
  alignas(128) std::atomic<std::uint64_t>* back_b_pos_ = nullptr;  // b_pos of the back block
  std::uint64_t back_full_ = 0;                                    // its value when the block is full
  Task* back_entries_ = nullptr;
  std::uint64_t front_position_ = 0;  // where the next get comes from
  std::uint64_t front_end_ = 0;       // the end of gets as last seen, when the front block is the back one
  Task* front_entries_ = nullptr;
  mark::BlockNumber front_{0, 0};
  mark::BlockNumber back_{0, 0};
  mark::QueueCounters counters_;

  // Read by all, never written after construction.
  alignas(128) const mark::BlockRing ring_;
  const base::PageArray<Block> blocks_;
  const base::PageArray<Task> entries_;

  // This line is the thieves' alone: the block to steal from next.
  alignas(128) std::atomic<std::uint64_t> bottom_{0};
};

}  // namespace jackdaw::bench
