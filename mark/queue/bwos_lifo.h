// BwosLifo: the block-based work-stealing queue with a last-in-first-out owner.
//
// Source: Wang et al., "BWoS: Formally Verified Block-based Work Stealing for Parallel Processing", OSDI
// 2023, §3 (design) and §4 (implementation), for LIFO.
//
// The queue is a ring of NB blocks of NE entries. One thread, the owner, pushes and pops in the top block.
// Any thread but the owner, a thief, steals from the bottom block and moves up. A block belongs either to the
// owner or to the thieves, so inside its block the owner works as on a plain array: no atomic access, no
// barrier. When the owner goes on to the next block it grants the one it leaves to the thieves; when it comes
// back it takes over what the thieves have not claimed yet.
//
// Blocks are numbered for ever upwards; block v lies in slot v mod NB and is in round v div NB. What thieves
// read of a block carries the round, so that nothing said of a slot in one round is taken for another.
//
//   s_pos    round, limit, next entry to claim; or owned          owner grants and takes over, thieves claim
//   s_cnt    round, steals that have read their entry             thieves count, owner reads and resets
//   f_pos    first entry that is the owner's                      owner only
//   finished the value of s_cnt once the last thief has read      owner only
//
// Where the paper's thieves read b_pos to learn where a block ends, ours find the limit inside s_pos: one
// load tells the whole state of a block, so a block that was granted half full cannot be taken for another.
//
// The ring is far larger than what is mostly in it. So an owner that has nothing left, and has drifted
// upwards because of thieves, begins anew at slot 0, in a round that no slot has been in: the memory in use
// stays that of the same few blocks. A slot may have been in any earlier round, or in none (all bytes zero).
//
// Invariants
//  1. Blocks below the thieves' bottom block are done: every entry was claimed by a thief. The bottom moves
//     up only past a block that is done, never past one that the owner holds, or to where the owner begins
//     anew.
//  2. "Done", "owned" and "never started" are different values of s_pos. A done block stays done until its
//     slot's next round.
//  3. The index in s_pos never falls within a round, and a grant never has an empty range. So a successful
//     compare-and-swap claims an entry of the present grant, even if the block was taken over and granted
//     again meanwhile; the entry is read after the claim.
//  4. Only the owner writes s_pos other than by claiming, and only the owner starts a round.
//  5. The owner never waits: a slot whose thieves have not all finished reading counts as full.
//  6. The bottom is never below the block where the owner began anew, nor at a block whose slot is in a later
//     round: the owner moves it before it begins either. So a thief compares rounds for equality alone.
//  7. A round comes back after 2^32 others. A thief that pauses for so long between its look and its claim
//     could claim wrongly, and one that still sees a slot as that round left it could pass it.
//
// Threads: the constructor, push, pop, newest, drop_newest, grant_early, offers_tasks and counters are the
// owner's; steal, steal_some, has_stealable, looks_stealable and size_hint may be called by any other thread
// at any time. The comment at each memory_order names the access that it pairs with.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/page_array.h"
#include "base/page_memory.h"
#include "base/prefetch.h"
#include "mark/queue/block_memory.h"
#include "mark/queue/block_ring.h"
#include "mark/queue/queue.h"

namespace jackdaw::mark {

template <typename TaskType>
class BwosLifo {
  static_assert(std::is_trivially_copyable_v<TaskType>, "a stolen task is copied as plain bytes");

 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// A queue of `block_count` blocks of `block_size` tasks, or of fewer blocks where addresses are scarce; at
  /// most as many tasks fit as its blocks have room for. For tests: `first_round`, to see rounds wrap around,
  /// and `drift`, the slot from which on the owner begins anew. Throws std::invalid_argument when a size is
  /// out of range, std::bad_alloc when memory is short.
  explicit BwosLifo(std::size_t block_count = BlockRing::kDefaultBlockCount,
                    std::size_t block_size = BlockRing::kDefaultBlockSize,
                    BlockNumber::Round first_round = BlockNumber::kFirstRound, std::uint32_t drift = kDrift)
      : BwosLifo(Memory::reserve(block_count, block_size), first_round, drift) {}

  BwosLifo(const BwosLifo&) = delete;
  BwosLifo& operator=(const BwosLifo&) = delete;

  /// Owner. Puts a task on top. False when the queue is full, with nothing changed. Wait-free, O(1).
  bool push(Task task) {
    if (cursor_ == end_) [[unlikely]] {
      if (!make_room()) return false;
    }
    JACKDAW_CHECK(floor_ <= cursor_ && cursor_ < end_ && end_ <= block_end());
    *cursor_++ = task;
    return true;
  }

  /// Owner. Takes the newest task that no thief has claimed. False when there is none. Wait-free, O(1).
  bool pop(Task& task) {
    if (cursor_ == floor_) [[unlikely]] {
      if (!take_over_previous()) return false;
    }
    JACKDAW_CHECK(floor_ < cursor_ && cursor_ <= block_end());
    task = *--cursor_;
    return true;
  }

  /// Owner. Some of the newest tasks, oldest first and at most `most`, to be taken by drop_newest before
  /// anything else happens to the queue: those at hand, perhaps none. O(1).
  [[nodiscard]] std::span<const Task> newest(std::size_t most) const {
    const std::size_t count = std::min(most, static_cast<std::size_t>(cursor_ - floor_));
    return {cursor_ - count, count};
  }
  /// Owner. Takes `count` of the tasks that newest() gave, as so many pops would.
  void drop_newest(std::size_t count) {
    JACKDAW_CHECK(count <= static_cast<std::size_t>(cursor_ - floor_));
    cursor_ -= count;
  }

  /// Thief. Claims the oldest stealable task. Lock-free; a constant number of steps per block that was
  /// emptied.
  StealOutcome steal(Task& task) { return steal_some({&task, 1}).outcome; }

  /// Thief. Claims, at once, as many of the oldest stealable tasks as lie in one block and `room` has place
  /// for (at least 1), and puts them there, oldest first. Lock-free; a constant number of steps per block
  /// that was emptied and per task.
  BatchSteal steal_some(std::span<Task> room) {
    const Stealable found = find_stealable();
    if (found.block == nullptr) return {found.outcome, 0};
    const std::uint64_t first = index_of(found.s_pos);
    const std::uint64_t count = std::min<std::uint64_t>(room.size(), limit_of(found.s_pos) - first);
    std::uint64_t expected = found.s_pos;
    // Acquire: pairs with the release in grant(), also through other thieves' claims, so the entries are seen
    // as granted. Relaxed when it fails: nothing is read.
    if (!found.block->s_pos.compare_exchange_strong(expected, expected + count, std::memory_order_acquire,
                                                    std::memory_order_relaxed)) {
      return {StealOutcome::contended, 0};
    }
    const Task* const entries = entries_of(found.slot) + first;
    for (std::size_t i = 0; i < count; ++i) room[i] = entries[i];
    // Release: pairs with the acquire in may_start_round(), so the owner overwrites the entries after this
    // read.
    found.block->s_cnt.fetch_add(count, std::memory_order_release);
    return {StealOutcome::taken, count};
  }

  /// Any thread. Whether a steal begun now could find something. A glance: it may be out of date at once.
  bool has_stealable() { return find_stealable().block != nullptr; }

  /// Any thread. Whether the block that `sample` picks, one of the first kSampledBlocks from the thieves'
  /// bottom on, has something to steal: true with the probability that the share of such blocks has, for a
  /// uniformly random sample (paper §3.4). Touches two cache lines.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    // Relaxed, both: a hint; nothing is read on the strength of it.
    const BlockNumber bottom = BlockNumber::unpacked(bottom_.load(std::memory_order_relaxed));
    const std::uint32_t slot = ring_.sampled_slot(bottom.slot, sample);
    return is_stealable(blocks_[slot].s_pos.load(std::memory_order_relaxed));
  }

  /// Any thread. About how many tasks thieves could find. O(blocks that were granted), a cache line each:
  /// what size-based choices of a victim cost.
  [[nodiscard]] std::size_t size_hint() const {
    std::size_t size = 0;
    // Relaxed, both: a hint; nothing is read on the strength of it.
    BlockNumber number = BlockNumber::unpacked(bottom_.load(std::memory_order_relaxed));
    for (std::size_t steps = 0; steps < ring_.block_count(); ++steps) {
      const std::uint64_t s_pos = blocks_[number.slot].s_pos.load(std::memory_order_relaxed);
      if (round_of(s_pos) != number.round || is_owned(s_pos)) break;
      size += limit_of(s_pos) - index_of(s_pos);
      number = ring_.successor(number);
    }
    return size;
  }

  /// Owner. Whether the thieves have something left of what was granted.
  [[nodiscard]] bool offers_tasks() const {
    const BlockNumber previous = ring_.predecessor(top_);
    // Relaxed: a hint; thieves may take the rest at any moment.
    const std::uint64_t s_pos = blocks_[previous.slot].s_pos.load(std::memory_order_relaxed);
    return round_of(s_pos) == previous.round && is_stealable(s_pos);
  }

  /// Owner. Grants the older half of the top block and goes on with the newer half in the next one: for
  /// idle thieves when a block's worth of tasks may never come together (the open problem of the paper's
  /// §8). False, with nothing changed, when there are fewer than two tasks or the next block is still being
  /// read. O(block size).
  bool grant_early() {
    const auto count = static_cast<std::size_t>(cursor_ - floor_);
    if (count < 2) return false;
    const BlockNumber next = ring_.successor(top_);
    if (!may_enter(next)) return false;
    // The next block is empty: thieves claim in a block only when all below it are done, and then the owner
    // never comes down from it. So there is room.
    const std::size_t kept = count / 2;
    Task* const kept_from = cursor_ - kept;
    Task* const into = entries_of(next.slot) + blocks_[next.slot].f_pos;
    for (std::size_t i = 0; i < kept; ++i) into[i] = kept_from[i];
    cursor_ = kept_from;
    grant();
    stand_in(next, blocks_[next.slot].f_pos, blocks_[next.slot].f_pos + kept);
    return true;
  }

  /// Owner. How often blocks were granted and taken over since the queue was made.
  [[nodiscard]] const QueueCounters& counters() const { return counters_; }

  /// Between rounds of marking, while the queue is empty and nobody steals. Every so many rounds it gives the
  /// memory back of what was not used in them, but for as much again as was. O(1), and the system's work.
  void give_memory_back() {
    if (++rounds_ % kRoundsToKeep != 0) return;
    const std::size_t touched = touched_blocks();
    touched_ = std::min(touched, 2 * std::exchange(peak_, std::size_t{top_.slot} + 1));
    if (touched_ == touched) return;
    base::PageMemory::discard(entries_.data() + touched_ * ring_.block_size(),
                              (touched - touched_) * ring_.block_size() * sizeof(Task));
  }

  /// Owner. Bytes of the blocks that were used, beside the queue itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return touched_blocks() * (sizeof(Block) + ring_.block_size() * sizeof(Task));
  }

 private:
  using Round = BlockNumber::Round;

  // Two cache lines apart, because processors fetch lines in pairs. All zero: never started.
  struct alignas(128) Block {
    std::atomic<std::uint64_t> s_pos{0};
    std::atomic<std::uint64_t> s_cnt{0};
    std::uint64_t finished = 0;
    std::uint32_t f_pos = 0;
  };
  using Memory = BlockMemory<Block, Task>;
  struct Stealable {
    Block* block;
    std::uint32_t slot;
    std::uint64_t s_pos;
    StealOutcome outcome;  // what to say when block is null
  };

  // How many tasks' lines are asked for at once, and how long before the owner comes to them.
  static constexpr std::size_t kTasksAtATime =
      std::max<std::size_t>(1, 8 * base::kCacheLineBytes / sizeof(Task));
  static constexpr std::size_t kTasksAhead = 2 * kTasksAtATime;

  // The blocks below stay in the processor's second-level cache.
  static constexpr std::uint32_t kDrift = 8;
  // Blocks that were not used in this number of rounds of marking are given back.
  static constexpr std::uint32_t kRoundsToKeep = 32;

  // The index of s_pos while the block is the owner's. No limit reaches it.
  static constexpr std::uint64_t kOwnedIndex = 0xffff;

  // s_pos: round in bits 32 to 63, limit in 16 to 31, index in 0 to 15.
  static std::uint64_t granted(Round round, std::uint64_t limit, std::uint64_t index) {
    return (std::uint64_t{round} << 32) | (limit << 16) | index;
  }
  static std::uint64_t owned(Round round) { return granted(round, 0, kOwnedIndex); }
  static std::uint64_t index_of(std::uint64_t s_pos) { return s_pos & 0xffff; }
  static std::uint64_t limit_of(std::uint64_t s_pos) { return (s_pos >> 16) & 0xffff; }
  static Round round_of(std::uint64_t word) { return BlockNumber::round_of(word); }
  static bool is_stealable(std::uint64_t s_pos) { return index_of(s_pos) < limit_of(s_pos); }
  // Not when all bits are zero: rounds come back to 0, and a thief may not see yet that a slot was started.
  static bool is_done(std::uint64_t s_pos) {
    return index_of(s_pos) == limit_of(s_pos) && limit_of(s_pos) != 0;
  }
  static bool is_owned(std::uint64_t s_pos) { return index_of(s_pos) == kOwnedIndex; }
  // s_cnt: round in bits 32 to 63, count below.
  static std::uint64_t counted(Round round, std::uint64_t count) {
    return (std::uint64_t{round} << 32) | count;
  }
  static std::uint64_t count_of(std::uint64_t s_cnt) { return s_cnt & 0xffffffff; }

  BwosLifo(Memory memory, Round first_round, std::uint32_t drift)
      : drift_(drift),
        ring_(memory.ring),
        blocks_(std::move(memory.blocks)),
        entries_(std::move(memory.entries)) {
    begin({first_round, 0});
  }

  [[nodiscard]] Task* entries_of(std::uint32_t slot) const {
    return entries_.data() + slot * ring_.block_size();
  }

  [[nodiscard]] std::size_t touched_blocks() const { return std::max(touched_, peak_); }

  // Owner. No room below end_: takes more of the top block, or the next one.
  [[gnu::noinline]] bool make_room() {
    if (end_ == block_end()) return advance();
    extend(end_);
    return true;
  }

  // Owner. Full top block: grant it and go on in the next one.
  bool advance() {
    const BlockNumber next = ring_.successor(top_);
    if (!may_enter(next)) return false;
    grant();
    stand_in(next, blocks_[next.slot].f_pos, blocks_[next.slot].f_pos);
    return true;
  }

  // Owner. Makes block `next` the owner's, above the top. It is so already when the owner came down from it;
  // else its slot starts a new round.
  bool may_enter(BlockNumber next) {
    if (top_ != newest_) return true;
    if (!may_start_round(next.slot)) return false;
    if (next.round != first_.round) move_bottom_past({next.round - 1, next.slot});
    start_round(next);
    return true;
  }

  // Owner. Whether every entry that thieves claimed in the slot's last round was read. All that they could
  // claim there was claimed: the owner never goes round past what they were given.
  [[nodiscard]] bool may_start_round(std::uint32_t slot) const {
    const Block& block = blocks_[slot];
    // Acquire: pairs with the release in steal(), so thieves' reads come before our overwriting.
    return block.s_cnt.load(std::memory_order_acquire) == block.finished;
  }

  void start_round(BlockNumber number) {
    Block& block = blocks_[number.slot];
    stolen_end_ = entries_of(number.slot) + count_of(block.finished);
    block.f_pos = 0;
    block.finished = counted(number.round, 0);
    // Relaxed, both: no thief holds a claim here, and none can get one before grant() releases.
    block.s_cnt.store(block.finished, std::memory_order_relaxed);
    block.s_pos.store(owned(number.round), std::memory_order_relaxed);
    newest_ = number;
  }

  // Owner. The block is done, and thieves may not have gone on from it.
  void move_bottom_past(BlockNumber done) {
    std::uint64_t bottom = done.packed();
    // Relaxed, all: as in find_stealable(). The owner has acquired the count of whoever emptied the block,
    // which found it by the bottom: what it loads is that or later.
    if (bottom_.load(std::memory_order_relaxed) != bottom) return;
    bottom_.compare_exchange_strong(bottom, ring_.successor(done).packed(), std::memory_order_relaxed,
                                    std::memory_order_relaxed);
  }

  // Owner. The queue is empty, in a slot that may start a round: it goes on in block `first`, with nothing
  // below.
  void begin(BlockNumber first) {
    first_ = first;
    start_round(first);
    stand_in(first, 0, 0);
    // Relaxed: a hint where to look; whoever first shares the queue with thieves publishes it to them.
    bottom_.store(first.packed(), std::memory_order_relaxed);
  }

  // Owner. The queue is empty: goes back to the first slot if it has drifted far from it.
  void begin_anew() {
    if (top_.slot < drift_ || !may_start_round(0)) return;
    begin({newest_.round + 1, 0});
  }

  // Owner. Hands [f_pos, cursor) of the top block, not empty, to the thieves.
  void grant() {
    Block& block = blocks_[top_.slot];
    // Relaxed: while the block is the owner's, nobody else writes it.
    JACKDAW_CHECK(block.s_pos.load(std::memory_order_relaxed) == owned(top_.round));
    JACKDAW_CHECK(cursor_ > floor_ && floor_ == entries_of(top_.slot) + block.f_pos);
    const auto limit = static_cast<std::uint32_t>(cursor_ - entries_of(top_.slot));
    block.finished = counted(top_.round, limit);
    // Release: pairs with the acquire in steal(), so thieves see the entries.
    block.s_pos.store(granted(top_.round, limit, block.f_pos), std::memory_order_release);
    ++counters_.grants;
  }

  // Owner. Empty top block: go down to the block below and take back what the thieves left of it.
  [[gnu::noinline]] bool take_over_previous() {
    if (top_ == first_) return false;
    const BlockNumber previous = ring_.predecessor(top_);
    Block& block = blocks_[previous.slot];
    // Relaxed: only spares the exchange when everything below is gone.
    const std::uint64_t seen = block.s_pos.load(std::memory_order_relaxed);
    if (round_of(seen) != previous.round || is_done(seen)) {
      begin_anew();
      return false;
    }
    // Relaxed: the entries from here on are the owner's own writes, and a thief reads only what it claimed
    // before.
    const std::uint64_t left = block.s_pos.exchange(owned(previous.round), std::memory_order_relaxed);
    if (is_done(left)) {
      // The last entry went meanwhile. Say done again, or the thieves would wait here for ever.
      // Relaxed: it tells thieves to move on, not to read.
      block.s_pos.store(left, std::memory_order_relaxed);
      return false;
    }
    JACKDAW_CHECK(!is_owned(left) && is_stealable(left) && limit_of(left) <= ring_.block_size());
    block.f_pos = static_cast<std::uint32_t>(index_of(left));
    block.finished = counted(previous.round, index_of(left));
    stand_in(previous, index_of(left), limit_of(left));
    ++counters_.takeovers;
    return true;
  }

  // Owner. Works in block `number` from now on, with the tasks [first, last) in it. In the newest block
  // thieves may have lines of the slot's last round, and the words of the next slot.
  void stand_in(BlockNumber number, std::size_t first, std::size_t last) {
    JACKDAW_CHECK(number.slot < ring_.block_count() && first <= last && last <= ring_.block_size());
    Task* const entries = entries_of(number.slot);
    top_ = number;
    peak_ = std::max(peak_, std::size_t{number.slot} + 1);
    floor_ = entries + first;
    cursor_ = entries + last;
    end_ = block_end();
    if (number != newest_) return;
    base::prefetch_to_write(&blocks_[ring_.successor(number).slot]);
    if (cursor_ >= stolen_end_) return;
    ask_for(cursor_, kTasksAhead);
    extend(cursor_);
  }

  // Owner. Room for some more tasks from `from` on, in the newest block. Lines that thieves have are asked
  // for a little before they are written to; the rest of the block needs no steps.
  void extend(Task* from) {
    if (from >= stolen_end_) {
      stolen_end_ = entries_of(top_.slot);
      end_ = block_end();
      return;
    }
    const auto left = static_cast<std::size_t>(block_end() - from);
    end_ = from + std::min(left, kTasksAtATime);
    ask_for(from + std::min(left, kTasksAhead), kTasksAtATime);
  }

  // Owner. Asks for so many tasks' lines from `from` on, as far as thieves have them.
  void ask_for(const Task* from, std::size_t count) const {
    if (from >= stolen_end_) return;
    base::prefetch_to_write(from, std::min(count, static_cast<std::size_t>(stolen_end_ - from)));
  }

  [[nodiscard]] Task* block_end() const { return entries_of(top_.slot) + ring_.block_size(); }

  // Thief. The bottom block with something to steal, moving the bottom past blocks that are done.
  Stealable find_stealable() {
    // Relaxed: a hint where to look; the round in s_pos tells whether the look is at the right block.
    std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    for (std::size_t steps = 0; steps <= ring_.block_count(); ++steps) {
      const BlockNumber number = BlockNumber::unpacked(bottom);
      Block& block = blocks_[number.slot];
      // Relaxed: the claim decides, and orders.
      const std::uint64_t s_pos = block.s_pos.load(std::memory_order_relaxed);
      // Else the slot's round has not begun, or the owner has moved the bottom meanwhile.
      const bool present = round_of(s_pos) == number.round;
      if (present && is_stealable(s_pos)) return {&block, number.slot, s_pos, StealOutcome::taken};
      if (!present || !is_done(s_pos)) return {nullptr, 0, 0, StealOutcome::empty};
      const std::uint64_t next = ring_.successor(number).packed();
      // Relaxed: as the load above. A failure brings what another thief has moved it to.
      if (bottom_.compare_exchange_strong(bottom, next, std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
        bottom = next;
      }
    }
    return {nullptr, 0, 0, StealOutcome::contended};
  }

  // The owner's, written with every push and pop: thieves never look at this line.
  alignas(128) Task* cursor_ = nullptr;  // one past the newest task
  Task* floor_ = nullptr;                // the oldest task of the top block that is the owner's
  Task* end_ = nullptr;                  // the end of the room in the top block
  Task* stolen_end_ = nullptr;           // below, thieves read the newest block's slot in its last round
  BlockNumber top_{0, 0};
  BlockNumber first_{0, 0};   // where the owner began anew: nothing lies below
  BlockNumber newest_{0, 0};  // the highest that it has started since
  QueueCounters counters_;
  std::size_t peak_ = 0;      // slots that were in use since memory was last given back
  std::size_t touched_ = 0;   // slots that had memory then
  std::uint32_t rounds_ = 0;  // of marking
  const std::uint32_t drift_;

  // Read by all, never written after construction.
  alignas(128) const BlockRing ring_;
  const base::PageArray<Block> blocks_;
  const base::PageArray<Task> entries_;

  // The thieves' alone: the block to steal from next.
  alignas(128) std::atomic<std::uint64_t> bottom_{0};
};

}  // namespace jackdaw::mark
