// A bot at its matches: takes in what the server says about them, asks the bot, gives its answers. Knows no stream.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hansa/bot.h"

namespace hansa {

class Table {
 public:
  explicit Table(Bot& bot) : bot_(bot), profile_(bot.profile()) {}

  // Takes in a message about a match that was received at this time; returns the bot's reply, if it has one.
  // What the bot does wrong ends here: it is logged, and no other match hears of it.
  std::optional<v1::PlayRequest> take(const v1::PlayResponse& message, Clock::Time received);

 private:
  // A match with what is needed to answer. A bot that plays against itself has several seats in it.
  struct Seated {
    std::map<int, Match> seats;
    std::shared_ptr<Match::History> history = std::make_shared<Match::History>();  // the same in all of the seats
    int sequence = -1;                                                             // of the newest decision
    std::vector<Action> legal;
    std::set<int> tried;  // ids that were answered to it
  };
  using Actions = google::protobuf::RepeatedPtrField<v1::PlayedAction>;

  void start(const v1::MatchStarted& message);
  void hear(const v1::MatchEvents& message);
  std::optional<v1::PlayRequest> decide(const v1::DecisionRequest& message, Clock::Time received);
  std::optional<v1::PlayRequest> try_again(const v1::AnswerRejected& message);
  void end(const v1::MatchEnded& message);
  void take_up(Seated& seated, const Actions& actions);
  template <typename Hook>
  void call(const Match& match, const char* name, Hook hook);

  Bot& bot_;
  const Profile profile_;
  std::map<std::string, Seated> matches_;
  std::mt19937_64 dice_{std::random_device{}()};
};

}  // namespace hansa
