#include <gtest/gtest.h>

#include "sensible_bot.h"
#include "taste.h"

namespace {

using hansa::v1::View;

// What the bot plays, in words.
std::string chosen(const View& view, const std::vector<std::string>& texts, int seat = 0) {
  hansa::Match match;
  hansa::Decision decision{match, 0, seat, view.phase(), {}, &view, {}};
  for (const std::string& text : texts) decision.legal.push_back({static_cast<int>(decision.legal.size()), text});
  SensibleBot bot;
  return texts.at(bot.choose(decision).action);
}

View teutonica(int pieces) {
  View view;
  auto& player = *view.mutable_teutonica()->add_players();
  player.mutable_supply()->set_traders(pieces);
  return view;
}

void stand(View& view, const std::string& post, int seat) {
  auto& piece = *view.mutable_teutonica()->add_posts();
  piece.set_post(post);
  piece.mutable_piece()->set_seat(seat);
  piece.mutable_piece()->set_shape(hansa::v1::SHAPE_TRADER);
}

TEST(Sensible, FinishesARouteBeforeAnythingElse) {
  EXPECT_EQ(chosen(teutonica(5), {"end", "place trader A-B 1", "route A-B none", "route A-B office A"}),
            "route A-B office A");
}

TEST(Sensible, GoesWhereItStandsAlready) {
  View view = teutonica(5);
  stand(view, "A-B 1", 0);
  stand(view, "C-D 1", 1);
  EXPECT_EQ(chosen(view, {"place trader C-D 2", "place trader A-B 2", "place merchant A-B 2", "end"}),
            "place trader A-B 2");
}

TEST(Sensible, TakesIncomeWhenNothingIsLeft) {
  const std::vector<std::string> texts = {"end", "place trader A-B 1", "income 3 traders", "income 2 traders"};
  EXPECT_EQ(chosen(teutonica(1), texts), "income 3 traders");
  EXPECT_EQ(chosen(teutonica(5), texts), "place trader A-B 1");
}

View hansa_view() {
  View view;
  view.mutable_hansa()->set_ship("Aalborg");
  auto& player = *view.mutable_hansa()->add_players();
  player.set_talers(3);
  player.set_booths(5);
  auto& good = *player.add_unsold();
  good.set_kind("orange 2");
  good.set_count(1);
  view.mutable_hansa()->add_players();
  auto& city = *view.mutable_hansa()->add_cities();
  city.set_city("Aalborg");
  city.add_booths(0);
  city.add_booths(1);
  return view;
}

TEST(Sensible, BuysWhatMakesAPair) {
  EXPECT_EQ(chosen(hansa_view(), {"buy brown 2", "buy orange 1", "end"}), "buy orange 1");
}

TEST(Sensible, SellsBeforeItBuys) {
  EXPECT_EQ(chosen(hansa_view(), {"buy orange 3", "sell orange 1", "sell orange 2", "end"}), "sell orange 2");
}

TEST(Sensible, GivesAwayTheLeast) {
  EXPECT_EQ(chosen(hansa_view(), {"give orange 2", "give brown 1"}), "give brown 1");
}

TEST(Sensible, PlaysWithoutAPosition) {
  hansa::Match match;
  const hansa::Decision decision{match, 0, 0, "main", {{17, ""}, {19, ""}}, nullptr, {}};
  SensibleBot bot;
  const int action = bot.choose(decision).action;
  EXPECT_TRUE(action == 17 || action == 19);
}

TEST(Words, AreSplitAndJoined) {
  const Words words = words_of("place trader Kampen-Osnabrück 2");
  EXPECT_EQ(words.size(), 4);
  EXPECT_EQ(join(words, 2), "Kampen-Osnabrück 2");
}

}  // namespace
