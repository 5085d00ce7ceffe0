// What a bot likes: a value for each legal action of a decision.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hansa/bot.h"

// An action in words, such as {"place", "trader", "Kampen-Osnabrück", "2"}.
using Words = std::vector<std::string>;

Words words_of(const std::string& text);
// The words from this one on, as a text again.
std::string join(const Words& words, std::size_t from);

// What a seat likes in a position. Values only compare actions of the same decision.
class Taste {
 public:
  virtual ~Taste() = default;
  virtual double value(const Words& words) const = 0;
};

std::unique_ptr<Taste> teutonica_taste(const hansa::Decision& decision);
std::unique_ptr<Taste> hansa_taste(const hansa::Decision& decision);
