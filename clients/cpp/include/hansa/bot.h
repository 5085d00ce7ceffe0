// What a bot is, and what it is told. Positions, rules and results are the messages of proto/hansa/v1.
#pragma once

#include <any>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hansa/v1/play.pb.h"

namespace hansa {

// A legal action: its id and, if texts are wanted, what it means in words.
struct Action {
  int id = 0;
  std::string text;
};

// The clock of a decision.
class Clock {
 public:
  using Seconds = std::chrono::duration<double>;
  using Time = std::chrono::steady_clock::time_point;

  Clock() = default;
  Clock(const v1::ClockState& state, Time received);

  // What is left for this decision now; infinity without a limit.
  Seconds left() const;
  // What was left in the bank when the decision was asked for; nothing without a bank.
  std::optional<Seconds> bank() const { return bank_; }

 private:
  std::optional<Seconds> decision_;
  std::optional<Seconds> bank_;
  Time received_ = std::chrono::steady_clock::now();
};

// A match that this bot plays. A bot that sits at several seats of a match has a Match for each.
struct Match {
  using History = std::vector<v1::PlayedAction>;

  std::string id;
  int seat = 0;
  v1::Rules rules;
  std::vector<std::string> players;  // names by seat; empty names when the opponents are kept secret
  v1::ClockRules clock;
  std::shared_ptr<History> history = std::make_shared<History>();  // everything played so far
  std::map<int, v1::ForfeitReason> forfeits;                       // seats given up, and why
  std::any data;                                                   // the bot's own notes on this match
};

// A decision that this bot has to make.
struct Decision {
  Match& match;
  int sequence = 0;           // actions played before it
  int seat = 0;               // that decides
  std::string phase;          // what is being decided (docs/actions.md)
  std::vector<Action> legal;  // never empty
  const v1::View* view;       // the position as this seat sees it; null unless the bot wants views
  Clock clock;
};

// What a bot decides: a legal action, and something for spectators if it likes.
struct Choice {
  Choice(int action) : action(action) {}               // NOLINT: an id is a choice
  Choice(const Action& action) : action(action.id) {}  // NOLINT: and so is an action
  Choice(int action, std::vector<float> evaluation, std::string comment)
      : action(action), evaluation(std::move(evaluation)), comment(std::move(comment)) {}

  int action;
  std::vector<float> evaluation;  // what each seat is expected to score, by seat
  std::string comment;            // at most 280 characters are kept
};

// How a bot introduces itself, and what it wants to be sent.
struct Profile {
  std::string name{};                // under which it plays; with a token, the token's name counts
  std::string version{};             // for records and ratings
  std::vector<std::string> games{};  // that it plays, such as {"teutonica"}; empty for all
  int max_matches = 16;              // at once
  bool views = true;                 // wants positions
  bool texts = true;                 // wants actions in words
  bool events_at_once = false;       // hears at once of what is played, not with its next decision
  bool resign_on_error = false;      // if choose() fails: give the match up, instead of playing any legal action
};

// A bot: derive from it and write `profile` and `choose`.
//
// All of its functions are called in one thread, one call after the other, so a bot keeps what it likes in its members.
// The stream to the server has other threads and stays alive however long a bot thinks.
class Bot {
 public:
  virtual ~Bot() = default;

  virtual Profile profile() const = 0;
  // Decide. Whatever it throws costs this one decision, or the match with `resign_on_error`; other matches do not
  // notice.
  virtual Choice choose(const Decision& decision) = 0;

  // A match begins; its history is not empty if the bot comes into a running one.
  virtual void match_started(Match&) {}
  // Actions were played, the bot's own included.
  virtual void actions_played(Match&, const std::vector<v1::PlayedAction>&) {}
  // A match is over. The result is null if it ended while the bot was not connected.
  virtual void match_ended(Match&, const v1::Result*) {}
};

}  // namespace hansa
