// What the sensible bot likes in Hansa Teutonica.
//
// The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free
// posts are those where a piece could be placed.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "taste.h"

namespace {

using hansa::v1::TeutonicaView;

const std::map<std::string, int> kAbilities = {
    {"actions", 12}, {"privilege", 6}, {"book", 4}, {"bank", 5}, {"keys", 6}};
const std::map<std::string, int> kMarkers = {
    {"additional_post", 3}, {"swap_posts", 2}, {"actions_3", 4}, {"actions_4", 5}, {"develop_ability", 4}};

template <typename Map>
int count_of(const Map& map, const std::string& key, int otherwise = 0) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

// The route of a post: `Kampen-Osnabrück 2` belongs to `Kampen-Osnabrück`.
std::string route_of(const std::string& post) { return post.substr(0, post.rfind(' ')); }

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

// How many pieces a text such as `income 2 traders 1 merchant` names.
int pieces_in(const Words& words) {
  int count = 0;
  for (const std::string& word : words)
    if (is_number(word)) count += std::atoi(word.c_str());
  return count;
}

class TeutonicaTaste : public Taste {
 public:
  explicit TeutonicaTaste(const hansa::Decision& decision) : view_(decision.view->teutonica()) {
    if (decision.seat < view_.players_size()) {
      const TeutonicaView::Player& me = view_.players(decision.seat);
      pieces_ = me.supply().traders() + me.supply().merchants();
      for (const auto& ability : me.abilities()) developed_[ability.ability()] = ability.developed();
    }
    std::set<std::string> taken;
    for (const TeutonicaView::Post& post : view_.posts()) {
      taken.insert(post.post());
      ++(post.piece().seat() == decision.seat ? mine_ : theirs_)[route_of(post.post())];
    }
    for (const TeutonicaView::Marker& marker : view_.markers()) markers_[marker.route()] = marker.kind();
    std::set<std::string> free;
    for (const hansa::Action& action : decision.legal) {
      const Words words = words_of(action.text);
      if (words.size() < 3) continue;
      const bool is_bare = words[0] == "set" || words[0] == "to";  // no shape before the post
      if (!is_bare && words[0] != "place" && words[0] != "answer" && words[0] != "place-two") continue;
      const std::string post = join(words, is_bare ? 1 : 2);
      if (!taken.contains(post) && free.insert(post).second) ++free_[route_of(post)];
    }
  }

  double value(const Words& words) const override {
    const std::string& verb = words[0];
    if (verb == "route") return 200 + establish(words);
    if (verb == "use") return use(words);
    if (verb == "place" || verb == "answer" || verb == "place-two") return 60 + stand(join(words, 2)) - cost(words);
    if (verb == "to" || verb == "set") return 60 + stand(join(words, 1));
    if (verb == "displace") return displace(join(words, 2)) - cost(words);
    if (verb == "income") return pieces_ <= 1 ? 90 + pieces_in(words) : 5;
    if (verb == "pay") return -pieces_in(words) - 2 * merchants_in(words);
    if (verb == "favour-income") return words[1] == "merchant" ? 2 : 1;
    if (verb == "develop-privilege" || verb == "green-office") return 10;
    if (verb == "lift") return -count_of(mine_, route_of(join(words, 1)));  // those that stand alone go first
    if (verb == "remove") return count_of(mine_, route_of(join(words, 1))) == 0 ? 1 : -1;
    if (verb == "on") return -std::abs(count_of(mine_, join(words, 1)) - 1);
    if (verb == "pawn") return words.back() == "action" ? -10 : 3;
    if (verb == "move") return pieces_ == 0 && mine_.size() > 1 ? 8 : -5;  // bring together what stands about
    if (verb == "favour") return -5;
    return 0;  // end, finish, stop, decline, skip, flip, put-marker
  }

 private:
  // A merchant is worth more than a trader, so it is kept.
  static int cost(const Words& words) { return words.size() > 1 && words[1] == "merchant" ? 2 : 0; }

  static int merchants_in(const Words& words) {
    return static_cast<int>(std::count_if(words.begin(), words.end(),
                                          [](const std::string& word) { return word.starts_with("merchant"); }));
  }

  // A finished route: the marker on it, and what is done with it.
  double establish(const Words& words) const {
    static const std::set<std::string> kinds = {"none", "office", "develop", "extra", "prestige"};
    // A route may hold spaces, so what follows it is found by its word.
    const auto kind =
        std::find_if(words.begin(), words.end(), [](const std::string& word) { return kinds.contains(word); });
    if (kind == words.end()) return 0;
    const std::string route = join(Words(words.begin(), kind), 1);
    const std::string rest = kind + 1 == words.end() ? "" : *(kind + 1);
    const auto marker = markers_.find(route);
    double worth = marker == markers_.end() ? 0 : count_of(kMarkers, marker->second, 3);
    if (*kind == "develop") worth += count_of(kAbilities, rest) - count_of(developed_, rest);
    if (*kind == "office") worth += 9;
    if (*kind == "extra") worth += 7;
    if (*kind == "prestige") worth += 8 + std::atoi(rest.c_str());
    return worth;
  }

  // A piece on a post: the nearer its route is to being ours, the better. Long routes need many turns.
  double stand(const std::string& post) const {
    const std::string route = route_of(post);
    return 6 * count_of(mine_, route) - 4 * count_of(theirs_, route) - 2 * count_of(free_, route) +
           (markers_.contains(route) ? 2 : 0);
  }

  // Worth its fee only to finish a route.
  double displace(const std::string& post) const {
    const std::string route = route_of(post);
    const bool is_last = count_of(mine_, route) >= 2 && count_of(theirs_, route) == 1 && count_of(free_, route) == 0;
    return is_last && pieces_ >= 3 ? 85 : -10;
  }

  // Markers are for using: more actions at once, abilities as soon as possible.
  double use(const Words& words) const {
    if (words[1] == "actions_3" || words[1] == "actions_4") return pieces_ >= 3 ? 98 : -5;
    if (words[1] == "develop_ability" && words.size() > 2)
      return 98 + count_of(kAbilities, words[2]) - count_of(developed_, words[2]);
    return -5;  // swapping offices and moving pieces without a plan does as much harm as good
  }

  const TeutonicaView& view_;
  int pieces_ = 0;                        // at hand
  std::map<std::string, int> developed_;  // spaces by ability
  std::map<std::string, int> mine_;       // pieces by route
  std::map<std::string, int> theirs_;
  std::map<std::string, int> free_;  // posts by route
  std::map<std::string, std::string> markers_;
};

}  // namespace

std::unique_ptr<Taste> teutonica_taste(const hansa::Decision& decision) {
  return std::make_unique<TeutonicaTaste>(decision);
}
