#include "table.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "log.h"

namespace hansa {
namespace {

constexpr std::size_t kMostComment = 280;

Clock::Seconds seconds_of(const google::protobuf::Duration& duration) {
  return Clock::Seconds(static_cast<double>(duration.seconds()) + duration.nanos() * 1e-9);
}

std::vector<Action> legal_of(const v1::DecisionRequest& message) {
  std::vector<Action> legal(message.legal_actions_size());
  for (int at = 0; at < message.legal_actions_size(); ++at) {
    legal[at].id = message.legal_actions(at);
    if (at < message.legal_texts_size()) legal[at].text = message.legal_texts(at);
  }
  return legal;
}

v1::PlayRequest answer_to(const std::string& match_id, int sequence, const Choice& choice) {
  v1::PlayRequest request;
  v1::Answer& answer = *request.mutable_answer();
  answer.set_match_id(match_id);
  answer.set_sequence(sequence);
  answer.set_action(choice.action);
  answer.mutable_evaluation()->Add(choice.evaluation.begin(), choice.evaluation.end());
  std::size_t length = 0;  // in bytes, of the first kMostComment characters
  for (std::size_t count = 0; length < choice.comment.size() && count < kMostComment; ++count) {
    ++length;
    while (length < choice.comment.size() && (choice.comment[length] & 0xC0) == 0x80) ++length;
  }
  answer.set_comment(choice.comment.substr(0, length));
  return request;
}

// "timeout", "illegal answer": why a seat was given up.
std::string words_of(v1::ForfeitReason reason) {
  std::string name = v1::ForfeitReason_Name(reason);
  if (name.empty()) return "reason " + std::to_string(reason);  // of a newer server
  name.erase(0, std::string("FORFEIT_REASON_").size());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

Clock::Clock(const v1::ClockState& state, Time received) : received_(received) {
  if (state.has_decision()) decision_ = seconds_of(state.decision());
  if (state.has_bank()) bank_ = seconds_of(state.bank());
}

Clock::Seconds Clock::left() const {
  if (!decision_) return Seconds(std::numeric_limits<double>::infinity());
  return std::max(Seconds(0), *decision_ - Seconds(std::chrono::steady_clock::now() - received_));
}

std::optional<v1::PlayRequest> Table::take(const v1::PlayResponse& message, Clock::Time received) {
  switch (message.message_case()) {
    case v1::PlayResponse::kMatchStarted:
      start(message.match_started());
      return std::nullopt;
    case v1::PlayResponse::kMatchEvents:
      hear(message.match_events());
      return std::nullopt;
    case v1::PlayResponse::kDecisionRequest:
      return decide(message.decision_request(), received);
    case v1::PlayResponse::kAnswerRejected:
      return try_again(message.answer_rejected());
    case v1::PlayResponse::kMatchEnded:
      end(message.match_ended());
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void Table::start(const v1::MatchStarted& message) {
  Seated& seated = matches_[message.match_id()];
  if (seated.seats.contains(message.seat())) {
    take_up(seated, message.history());
    log("match " + message.match_id() + " goes on after " + std::to_string(seated.history->size()) + " actions");
    return;
  }
  take_up(seated, message.history());
  Match& match = seated.seats[message.seat()];
  match.id = message.match_id();
  match.seat = message.seat();
  match.rules = message.rules();
  match.players.assign(message.players().begin(), message.players().end());
  match.clock = message.clock();
  match.history = seated.history;
  log("match " + match.id + ": " + match.rules.game() + ", seat " + std::to_string(match.seat));
  call(match, "match_started", [&] { bot_.match_started(match); });
}

void Table::hear(const v1::MatchEvents& message) {
  const auto found = matches_.find(message.match_id());
  if (found == matches_.end()) return;
  Seated& seated = found->second;
  for (const v1::SeatForfeited& forfeit : message.forfeits()) {
    for (auto& [seat, match] : seated.seats) {
      match.forfeits[forfeit.seat()] = forfeit.reason();
      if (seat == forfeit.seat()) log("match " + match.id + ": this seat is forfeited: " + words_of(forfeit.reason()));
    }
  }
  take_up(seated, message.actions());
}

std::optional<v1::PlayRequest> Table::decide(const v1::DecisionRequest& message, Clock::Time received) {
  Seated& seated = matches_[message.match_id()];
  take_up(seated, message.events());
  seated.sequence = message.sequence();
  seated.legal = legal_of(message);
  seated.tried.clear();
  if (seated.legal.empty()) throw std::invalid_argument("a decision without legal actions");
  Match& match = seated.seats[message.seat()];
  if (match.id.empty()) {  // a seat of which no start was heard
    match.id = message.match_id();
    match.seat = message.seat();
    match.history = seated.history;
  }
  const Decision decision{match,
                          message.sequence(),
                          message.seat(),
                          message.phase(),
                          seated.legal,
                          message.has_view() ? &message.view() : nullptr,
                          Clock(message.clock(), received)};
  const std::string where =
      "match " + match.id + ", decision " + std::to_string(message.sequence()) + " (" + message.phase() + "): ";
  std::string problem;
  try {
    const Choice choice = bot_.choose(decision);
    const bool is_legal = std::any_of(seated.legal.begin(), seated.legal.end(),
                                      [&](const Action& action) { return action.id == choice.action; });
    if (is_legal) {
      seated.tried.insert(choice.action);
      return answer_to(match.id, message.sequence(), choice);
    }
    problem =
        std::to_string(choice.action) + " is none of the " + std::to_string(seated.legal.size()) + " legal actions";
  } catch (const std::exception& error) {
    problem = error.what();
  } catch (...) {
    problem = "it threw something that is no std::exception";
  }
  if (profile_.resign_on_error) {
    log(where + "choose() failed, the match is given up: " + problem);
    v1::PlayRequest request;
    request.mutable_resign()->set_match_id(match.id);
    return request;
  }
  const Action& any = seated.legal[std::uniform_int_distribution<std::size_t>(0, seated.legal.size() - 1)(dice_)];
  log(where + "choose() failed, playing " + std::to_string(any.id) + " instead: " + problem);
  seated.tried.insert(any.id);
  return answer_to(match.id, message.sequence(), any);
}

// An answer was refused. It was checked before it was sent, so the server knows better: take another one.
std::optional<v1::PlayRequest> Table::try_again(const v1::AnswerRejected& message) {
  const auto found = matches_.find(message.match_id());
  log("match " + message.match_id() + ", decision " + std::to_string(message.sequence()) +
      ": answer not taken: " + message.explanation());
  const bool is_worth_it =
      message.problem() == v1::ANSWER_PROBLEM_ILLEGAL_ACTION || message.problem() == v1::ANSWER_PROBLEM_MALFORMED;
  if (found == matches_.end() || found->second.sequence != message.sequence() || !is_worth_it) return std::nullopt;
  Seated& seated = found->second;
  std::vector<int> rest;
  for (const Action& action : seated.legal)
    if (!seated.tried.contains(action.id)) rest.push_back(action.id);
  if (rest.empty()) return std::nullopt;
  const int any = rest[std::uniform_int_distribution<std::size_t>(0, rest.size() - 1)(dice_)];
  seated.tried.insert(any);
  return answer_to(message.match_id(), message.sequence(), any);
}

void Table::end(const v1::MatchEnded& message) {
  auto node = matches_.extract(message.match_id());
  if (node.empty()) return;
  for (auto& [seat, match] : node.mapped().seats) {
    if (!message.has_result()) {
      log("match " + match.id + " ended while the bot was away");
    } else if (seat < message.result().seats_size()) {
      const v1::SeatResult& mine = message.result().seats(seat);
      log("match " + match.id + " is over: seat " + std::to_string(seat) + ", " + std::to_string(mine.total()) +
          " points, place " + std::to_string(mine.rank()));
    }
    call(match, "match_ended",
         [&, &match = match] { bot_.match_ended(match, message.has_result() ? &message.result() : nullptr); });
  }
}

// Adds actions to the history, and tells the bot of those that were not there before.
void Table::take_up(Seated& seated, const Actions& actions) {
  std::vector<v1::PlayedAction> news;
  for (const v1::PlayedAction& played : actions)
    if (played.sequence() >= static_cast<int>(seated.history->size() + news.size())) news.push_back(played);
  if (news.empty()) return;
  seated.history->insert(seated.history->end(), news.begin(), news.end());
  for (auto& [seat, match] : seated.seats)
    call(match, "actions_played", [&, &match = match] { bot_.actions_played(match, news); });
}

// Calls a hook of the bot; if it fails the match goes on.
template <typename Hook>
void Table::call(const Match& match, const char* name, Hook hook) {
  try {
    hook();
  } catch (const std::exception& error) {
    log("match " + match.id + ": " + name + "() failed: " + error.what());
  } catch (...) {
    log("match " + match.id + ": " + name + "() failed");
  }
}

}  // namespace hansa
