#include "sensible_bot.h"

#include <sstream>

#include "taste.h"

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string join(const Words& words, std::size_t from) {
  std::string text;
  for (std::size_t at = from; at < words.size(); ++at) text += (at > from ? " " : "") + words[at];
  return text;
}

hansa::Profile SensibleBot::profile() const { return {.name = "cpp-sensible", .version = "1", .max_matches = 256}; }

// The action of the highest value; among equals, any.
hansa::Choice SensibleBot::choose(const hansa::Decision& decision) {
  std::unique_ptr<Taste> taste;
  if (decision.view != nullptr && decision.view->has_teutonica()) taste = teutonica_taste(decision);
  if (decision.view != nullptr && decision.view->has_hansa()) taste = hansa_taste(decision);

  std::vector<int> best;
  double highest = 0;
  for (const hansa::Action& action : decision.legal) {
    const Words words = words_of(action.text);
    const double value = taste == nullptr || words.empty() ? 0 : taste->value(words);
    if (best.empty() || value > highest) {
      highest = value;
      best.clear();
    }
    if (value == highest) best.push_back(action.id);
  }
  return best[std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(dice_)];
}
