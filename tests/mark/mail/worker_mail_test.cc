// A worker's part in the mail: what it gathers goes to the node that it is for, or comes back.
#include "mark/mail/worker_mail.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace jackdaw::mark {
namespace {

using Task = std::uint64_t;

// Workers on nodes 0, 2 and 3; nobody on node 1.
class Mail : public testing::Test {
 protected:
  Mail() {
    for (const std::uint32_t node : {0U, 2U, 3U}) office.open(node);
  }

  static std::vector<Task> tasks_of(std::span<const Task> tasks) { return {tasks.begin(), tasks.end()}; }

  const std::vector<std::uint32_t> nodes{0, 2, 0, 3};
  PostOffice<Task> office{nodes};
  WorkerMail<Task> zero{&office, 0};
  WorkerMail<Task> two{&office, 2};
  WorkerMail<Task> three{&office, 3};
};

TEST_F(Mail, IsOffWithoutAnOffice) {
  EXPECT_FALSE(WorkerMail<Task>(nullptr, 0).is_on());
  EXPECT_TRUE(zero.is_on());
}

TEST_F(Mail, GoesToOtherNodesThatHaveWorkers) {
  EXPECT_FALSE(zero.goes_to(0));
  EXPECT_FALSE(zero.goes_to(1));
  EXPECT_TRUE(zero.goes_to(2));
  EXPECT_TRUE(zero.goes_to(3));
  EXPECT_FALSE(zero.goes_to(4));
}

TEST_F(Mail, ComesToItsNode) {
  zero.gather(7, 2);
  zero.gather(8, 3);
  zero.gather(9, 2);
  EXPECT_EQ(zero.gathered(), 3U);
  EXPECT_TRUE(two.fetch().empty());
  EXPECT_FALSE(two.in_sight()) << "not posted";
  EXPECT_TRUE(zero.post_all());
  EXPECT_FALSE(zero.post_all());
  EXPECT_EQ(zero.gathered(), 0U);
  EXPECT_TRUE(zero.in_sight());
  EXPECT_EQ(tasks_of(two.fetch()), (std::vector<Task>{7, 9}));
  EXPECT_TRUE(two.fetch().empty());
  EXPECT_TRUE(two.in_sight()) << "for another node";
  EXPECT_EQ(tasks_of(three.fetch()), (std::vector<Task>{8}));
  EXPECT_FALSE(two.in_sight());
}

TEST_F(Mail, WaitsElsewhereUntilItIsFetched) {
  EXPECT_FALSE(zero.waits_elsewhere());
  two.gather(7, 0);
  two.post_all();
  EXPECT_FALSE(zero.waits_elsewhere()) << "it waits here";
  WorkerMail<Task> other_of_node_two(&office, 2);
  EXPECT_TRUE(two.waits_elsewhere());
  EXPECT_TRUE(other_of_node_two.waits_elsewhere());
  zero.fetch();
  EXPECT_FALSE(two.waits_elsewhere());
}

TEST_F(Mail, GoesToNobodyWhoIsNotInTheRound) {
  office.start_round(2);
  EXPECT_TRUE(zero.goes_to(2));
  EXPECT_FALSE(zero.goes_to(3));
  office.start_round(4);
  EXPECT_TRUE(zero.goes_to(3));
}

TEST_F(Mail, IsForAnybodyAsALastResort) {
  two.gather(7, 3);
  two.post_all();
  EXPECT_TRUE(zero.fetch().empty());
  EXPECT_EQ(tasks_of(zero.fetch_any()), (std::vector<Task>{7}));
  EXPECT_TRUE(zero.fetch_any().empty());
  EXPECT_TRUE(three.fetch().empty());
}

TEST_F(Mail, IsTakenBackWhenTheMailboxIsFull) {
  Task next = 0;
  const auto fill_outbox = [&] {
    while (!zero.is_full(2)) zero.gather(next++, 2);
  };
  std::uint64_t blocks = 0;
  for (fill_outbox(); zero.post(2); fill_outbox()) ++blocks;
  EXPECT_GT(blocks, 0U);
  EXPECT_FALSE(zero.post_all());
  EXPECT_FALSE(zero.may_post(2));
  EXPECT_TRUE(zero.may_post(3));
  zero.gather(next, 3);
  EXPECT_TRUE(zero.post_all()) << "to another node";
  std::vector<bool> seen(next + 1, false);
  const auto see = [&](std::span<const Task> tasks) {
    for (const Task task : tasks) {
      EXPECT_FALSE(seen[task]);
      seen[task] = true;
    }
    return tasks.size();
  };
  EXPECT_EQ(see(zero.take_back()), Mailbox<Task>::kBlockTasks);
  EXPECT_TRUE(zero.take_back().empty());
  EXPECT_EQ(zero.gathered(), 0U);
  for (std::uint64_t i = 0; i < blocks; ++i) EXPECT_EQ(see(two.fetch()), Mailbox<Task>::kBlockTasks);
  EXPECT_TRUE(two.fetch().empty());
  see(three.fetch());
  EXPECT_EQ(seen, std::vector<bool>(next + 1, true));
}

}  // namespace
}  // namespace jackdaw::mark
