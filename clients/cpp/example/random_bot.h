// Any legal action, all alike: the least a bot can be.
#pragma once

#include <random>

#include "hansa/bot.h"

class RandomBot : public hansa::Bot {
 public:
  hansa::Profile profile() const override {
    return {.name = "cpp-random", .version = "1", .max_matches = 256, .views = false, .texts = false};
  }

  hansa::Choice choose(const hansa::Decision& decision) override {
    return decision.legal[std::uniform_int_distribution<std::size_t>(0, decision.legal.size() - 1)(dice_)];
  }

 private:
  std::mt19937_64 dice_{std::random_device{}()};
};
