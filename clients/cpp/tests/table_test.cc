#include "table.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace {

using hansa::v1::PlayRequest;
using hansa::v1::PlayResponse;

// Does what a test says, and remembers what it heard.
class ScriptedBot : public hansa::Bot {
 public:
  hansa::Profile profile() const override { return profile_; }
  hansa::Choice choose(const hansa::Decision& decision) override { return choose_(decision); }
  void match_started(hansa::Match&) override { ++started_; }
  void actions_played(hansa::Match&, const std::vector<hansa::v1::PlayedAction>& actions) override {
    for (const auto& action : actions) heard_.push_back(action.sequence());
  }
  void match_ended(hansa::Match&, const hansa::v1::Result* result) override { ended_.push_back(result != nullptr); }

  hansa::Profile profile_{.name = "scripted"};
  std::function<hansa::Choice(const hansa::Decision&)> choose_ = [](const auto& decision) { return decision.legal[0]; };
  int started_ = 0;
  std::vector<int> heard_;
  std::vector<bool> ended_;
};

PlayResponse started(int seat = 0, int played = 0) {
  PlayResponse message;
  message.mutable_match_started()->set_match_id("m");
  message.mutable_match_started()->set_seat(seat);
  for (int at = 0; at < played; ++at) message.mutable_match_started()->add_history()->set_sequence(at);
  return message;
}

PlayResponse asked(int sequence, const std::vector<int>& legal = {3, 5, 8}, int seat = 0) {
  PlayResponse message;
  auto& request = *message.mutable_decision_request();
  request.set_match_id("m");
  request.set_seat(seat);
  request.set_sequence(sequence);
  request.mutable_legal_actions()->Add(legal.begin(), legal.end());
  request.mutable_clock()->mutable_decision()->set_seconds(10);
  for (int at = 0; at < sequence; ++at) request.add_events()->set_sequence(at);
  return message;
}

PlayResponse rejected(int sequence, hansa::v1::AnswerProblem problem) {
  PlayResponse message;
  message.mutable_answer_rejected()->set_match_id("m");
  message.mutable_answer_rejected()->set_sequence(sequence);
  message.mutable_answer_rejected()->set_problem(problem);
  return message;
}

class TableTest : public testing::Test {
 protected:
  std::optional<PlayRequest> take(const PlayResponse& message) {
    return table().take(message, std::chrono::steady_clock::now());
  }
  hansa::Table& table() {
    if (!table_) table_.emplace(bot_);
    return *table_;
  }
  ScriptedBot bot_;
  std::optional<hansa::Table> table_;
};

TEST_F(TableTest, AnswersWithTheSequenceOfTheDecision) {
  EXPECT_FALSE(take(started()));
  const auto reply = take(asked(4));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer().match_id(), "m");
  EXPECT_EQ(reply->answer().sequence(), 4);
  EXPECT_EQ(reply->answer().action(), 3);
}

TEST_F(TableTest, TellsTheBotEveryActionOnce) {
  take(started(0, 2));
  take(asked(4));
  take(asked(5));
  take(started(0, 6));  // after a reconnection
  EXPECT_EQ(bot_.started_, 1);
  EXPECT_EQ(bot_.heard_, (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(TableTest, GivesTheClockOfTheDecision) {
  take(started());
  double left = 0;
  bot_.choose_ = [&](const auto& decision) {
    left = decision.clock.left().count();
    return decision.legal[1];
  };
  table().take(asked(0), std::chrono::steady_clock::now() - std::chrono::seconds(4));
  EXPECT_LE(left, 6.0);
  EXPECT_GE(left, 0.0);
}

TEST_F(TableTest, PlaysAnyLegalActionWhenTheBotFails) {
  take(started());
  bot_.choose_ = [](const auto&) -> hansa::Choice { throw std::runtime_error("no idea"); };
  EXPECT_EQ(take(asked(0, {7}))->answer().action(), 7);
  bot_.choose_ = [](const auto&) { return hansa::Choice(4); };
  EXPECT_EQ(take(asked(1, {7}))->answer().action(), 7);
}

TEST_F(TableTest, ResignsWhenTheBotFailsAndWantsThat) {
  bot_.profile_.resign_on_error = true;
  take(started());
  bot_.choose_ = [](const auto&) -> hansa::Choice { throw 1; };
  EXPECT_EQ(take(asked(0))->resign().match_id(), "m");
}

TEST_F(TableTest, TriesEveryOtherActionAfterRefusals) {
  take(started());
  std::set<int> tried = {take(asked(0))->answer().action()};
  tried.insert(take(rejected(0, hansa::v1::ANSWER_PROBLEM_ILLEGAL_ACTION))->answer().action());
  tried.insert(take(rejected(0, hansa::v1::ANSWER_PROBLEM_MALFORMED))->answer().action());
  EXPECT_EQ(tried, (std::set<int>{3, 5, 8}));
  EXPECT_FALSE(take(rejected(0, hansa::v1::ANSWER_PROBLEM_ILLEGAL_ACTION)));
}

TEST_F(TableTest, LeavesRefusalsThatCostNothing) {
  take(started());
  take(asked(1));
  EXPECT_FALSE(take(rejected(1, hansa::v1::ANSWER_PROBLEM_STALE_SEQUENCE)));
  EXPECT_FALSE(take(rejected(0, hansa::v1::ANSWER_PROBLEM_ILLEGAL_ACTION)));
}

TEST_F(TableTest, KeepsSeveralSeatsOfAMatchApart) {
  take(started(0));
  take(started(2));
  EXPECT_EQ(bot_.started_, 2);
  std::vector<int> seats;
  bot_.choose_ = [&](const auto& decision) {
    seats.insert(seats.end(), {decision.seat, decision.match.seat});
    return decision.legal[0];
  };
  take(asked(0, {1, 2}, 2));
  take(asked(1, {1, 2}, 0));
  EXPECT_EQ(seats, (std::vector<int>{2, 2, 0, 0}));
}

TEST_F(TableTest, ForgetsAMatchThatIsOver) {
  take(started());
  PlayResponse ended;
  ended.mutable_match_ended()->set_match_id("m");
  take(ended);
  take(ended);
  take(started());
  ended.mutable_match_ended()->mutable_result();
  take(ended);
  EXPECT_EQ(bot_.ended_, (std::vector<bool>{false, true}));
}

TEST_F(TableTest, KeepsWholeCharactersOfAComment) {
  take(started());
  std::string comment;
  for (int at = 0; at < 300; ++at) comment += "ü";
  bot_.choose_ = [&](const auto& decision) { return hansa::Choice(decision.legal[0].id, {1.0F, 2.0F}, comment); };
  const auto reply = take(asked(0));
  EXPECT_EQ(reply->answer().comment().size(), 560);
  EXPECT_EQ(reply->answer().evaluation_size(), 2);
}

}  // namespace
