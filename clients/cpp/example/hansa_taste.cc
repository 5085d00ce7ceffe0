// What the sensible bot likes in Hansa (2004).
//
// A sold good is worth 1 and its barrels, an unsold one 1, a city with a booth 2 (4 if nobody else is there). All
// values are in points, more or less.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "taste.h"

namespace {

using hansa::v1::HansaView;

constexpr int kMostUnsold = 3;  // more are taken away at the end of a turn

std::string colour_of(const std::string& good) { return good.substr(0, good.find(' ')); }
int barrels_of(const std::string& good) { return std::atoi(good.c_str() + std::min(good.size(), good.find(' '))); }

class HansaTaste : public Taste {
 public:
  explicit HansaTaste(const hansa::Decision& decision) : view_(decision.view->hansa()), seat_(decision.seat) {
    if (seat_ < view_.players_size()) me_ = view_.players(seat_);
    for (const HansaView::City& city : view_.cities()) cities_[city.city()] = &city;
    for (const hansa::v1::KindCount& good : me_.unsold()) {
      colours_[colour_of(good.kind())] += good.count();
      unsold_ += good.count();
    }
  }

  double value(const Words& words) const override {
    const std::string& verb = words[0];
    const std::string rest = join(words, 1);
    if (verb == "place") return is_alone(rest) ? 5 - strangers(rest) : 1;
    if (verb == "replenish") return empty_warehouses() >= 3 ? 1 : -1;
    if (verb == "sell") return 20 + barrels_of(rest);
    if (verb == "buy") return buy(rest, view_.ship());
    if (verb == "build") return build(rest, view_.ship());
    if (verb == "sail") return 0.8 * visit(rest) - 0.5;
    if (verb == "lose" || verb == "give") return -keep(rest);
    return 0;  // end, finish, skip
  }

 private:
  int booths(const std::string& city, int seat) const {
    const auto found = cities_.find(city);
    return found == cities_.end() || seat >= found->second->booths_size() ? 0 : found->second->booths(seat);
  }

  int mine(const std::string& city) const { return booths(city, seat_); }

  int most_of_others(const std::string& city) const {
    int most = 0;
    for (int seat = 0; seat < view_.players_size(); ++seat)
      if (seat != seat_) most = std::max(most, booths(city, seat));
    return most;
  }

  bool is_alone(const std::string& city) const { return most_of_others(city) == 0; }

  // Seats without a booth in a city.
  int strangers(const std::string& city) const {
    int count = 0;
    for (int seat = 0; seat < view_.players_size(); ++seat) count += booths(city, seat) == 0;
    return count;
  }

  int empty_warehouses() const {
    int count = 0;
    for (const HansaView::City& city : view_.cities())
      count += static_cast<int>(std::count(city.warehouses().begin(), city.warehouses().end(), ""));
    return count;
  }

  int count(const std::string& colour) const {
    const auto found = colours_.find(colour);
    return found == colours_.end() ? 0 : found->second;
  }

  // Whoever has the most booths alone buys for nothing.
  int price(const std::string& city) const { return mine(city) > most_of_others(city) ? 0 : 1; }

  // A good makes a pair with others of its colour, and then it can be sold for all its barrels.
  double buy(const std::string& good, const std::string& city) const {
    const int same = count(colour_of(good));
    if (unsold_ >= kMostUnsold && same == 0) return 0.2 - price(city);
    const double pair = same > 0 ? 1 + barrels_of(good) : 0.6 * barrels_of(good);
    return 1 + pair - 0.7 * price(city);
  }

  // A first booth in a city counts at the end, lets us sell there, and the most of them make buying free.
  double build(const std::string& good, const std::string& city) const {
    if (me_.booths() == 0) return -1;
    const int barrels = barrels_of(good);
    double gain = 0;
    if (mine(city) == 0) {
      gain = is_alone(city) ? 4 : 2;
    } else if (mine(city) <= most_of_others(city) && most_of_others(city) < mine(city) + barrels) {
      gain = 1.5;
    }
    const double loss = 1 + (count(colour_of(good)) >= 2 ? barrels : 0.5 * barrels);
    return gain + 0.5 - loss;
  }

  // The worth of selling every colour of which there are two or more.
  double sale() const {
    double worth = 0;
    for (const hansa::v1::KindCount& good : me_.unsold())
      if (count(colour_of(good.kind())) >= 2) worth += good.count() * (1 + barrels_of(good.kind()));
    return worth;
  }

  // The best that could be done in a city.
  double visit(const std::string& city) const {
    double best = mine(city) > 0 ? sale() : 0;
    if (const auto found = cities_.find(city); found != cities_.end())
      for (const std::string& good : found->second->warehouses())
        if (!good.empty() && price(city) < me_.talers()) best = std::max(best, buy(good, city));
    for (const hansa::v1::KindCount& good : me_.unsold()) best = std::max(best, build(good.kind(), city));
    return best;
  }

  // How much a good is worth to keep.
  double keep(const std::string& good) const {
    return 1 + barrels_of(good) * (count(colour_of(good)) >= 2 ? 1.0 : 0.4);
  }

  const HansaView& view_;
  const int seat_;
  HansaView::Player me_;
  std::map<std::string, const HansaView::City*> cities_;
  std::map<std::string, int> colours_;  // unsold goods
  int unsold_ = 0;
};

}  // namespace

std::unique_ptr<Taste> hansa_taste(const hansa::Decision& decision) { return std::make_unique<HansaTaste>(decision); }
