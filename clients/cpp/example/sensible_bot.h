// Takes points and routes: every action has a value, the best one is played. No look ahead, no rules engine.
#pragma once

#include <random>

#include "hansa/bot.h"

class SensibleBot : public hansa::Bot {
 public:
  hansa::Profile profile() const override;
  hansa::Choice choose(const hansa::Decision& decision) override;

 private:
  std::mt19937_64 dice_{std::random_device{}()};
};
