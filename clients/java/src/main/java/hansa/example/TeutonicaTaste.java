package hansa.example;

import hansa.client.Action;
import hansa.v1.ViewOuterClass.TeutonicaView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the sensible bot likes in Hansa Teutonica.
 *
 * <p>The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free posts
 * are those where a piece could be placed.
 */
final class TeutonicaTaste implements Taste {
    private static final Map<String, Integer> ABILITIES =
            Map.of("actions", 12, "privilege", 6, "book", 4, "bank", 5, "keys", 6);
    private static final Map<String, Integer> MARKERS = Map.of(
            "additional_post", 3, "swap_posts", 2, "actions_3", 4, "actions_4", 5, "develop_ability", 4);
    private static final Set<String> REWARDS = Set.of("none", "office", "develop", "extra", "prestige");

    private int pieces; // at hand
    private final Map<String, Integer> developed = new HashMap<>(); // spaces by ability
    private final Map<String, Integer> mine = new HashMap<>(); // pieces by route
    private final Map<String, Integer> theirs = new HashMap<>();
    private final Map<String, Integer> free = new HashMap<>(); // posts by route
    private final Map<String, String> markers = new HashMap<>(); // kinds by route

    TeutonicaTaste(TeutonicaView view, int seat, List<Action> legal) {
        if (seat < view.getPlayersCount()) {
            TeutonicaView.Player me = view.getPlayers(seat);
            pieces = me.getSupply().getTraders() + me.getSupply().getMerchants();
            me.getAbilitiesList().forEach(ability -> developed.put(ability.getAbility(), ability.getDeveloped()));
        }
        Set<String> known = new HashSet<>(); // posts that are taken, and then those that are counted as free
        for (TeutonicaView.Post post : view.getPostsList()) {
            known.add(post.getPost());
            (post.getPiece().getSeat() == seat ? mine : theirs).merge(route(post.getPost()), 1, Integer::sum);
        }
        view.getMarkersList().forEach(marker -> markers.put(marker.getRoute(), marker.getKind()));
        for (Action action : legal) {
            List<String> words = Taste.words(action.text());
            int from = switch (words.get(0)) {
                case "place", "answer", "place-two" -> 2;
                case "set", "to" -> 1;
                default -> words.size();
            };
            String post = Taste.join(words, from);
            if (!post.isEmpty() && known.add(post)) {
                free.merge(route(post), 1, Integer::sum);
            }
        }
    }

    @Override
    public double value(List<String> words) {
        return switch (words.get(0)) {
            case "route" -> 200 + establish(words);
            case "use" -> use(words);
            case "place", "answer", "place-two" -> 60 + stand(Taste.join(words, 2)) - cost(words);
            case "to", "set" -> 60 + stand(Taste.join(words, 1));
            case "displace" -> displace(Taste.join(words, 2)) - cost(words);
            case "income" -> pieces <= 1 ? 90 + count(words) : 5;
            case "pay" -> -count(words) - 2 * words.stream().filter(word -> word.startsWith("merchant")).count();
            case "favour-income" -> words.get(1).equals("merchant") ? 2 : 1;
            case "develop-privilege", "green-office" -> 10;
            case "lift" -> -of(mine, route(Taste.join(words, 1))); // those that stand alone go first
            case "remove" -> of(mine, route(Taste.join(words, 1))) == 0 ? 1 : -1;
            case "on" -> -Math.abs(of(mine, Taste.join(words, 1)) - 1);
            case "pawn" -> words.get(words.size() - 1).equals("action") ? -10 : 3;
            case "move" -> pieces == 0 && mine.size() > 1 ? 8 : -5; // bring together what stands about
            case "favour" -> -5;
            default -> 0; // end, finish, stop, decline, skip, flip, put-marker
        };
    }

    private static int of(Map<String, Integer> counts, String key) {
        return counts.getOrDefault(key, 0);
    }

    /** The route of a post: "Kampen-Osnabrück 2" belongs to "Kampen-Osnabrück". */
    private static String route(String post) {
        return post.substring(0, Math.max(0, post.lastIndexOf(' ')));
    }

    /** How many pieces a text such as "income 2 traders 1 merchant" names. */
    private static int count(List<String> words) {
        return words.stream().filter(word -> word.matches("\\d+")).mapToInt(Integer::parseInt).sum();
    }

    /** A merchant is worth more than a trader, so it is kept. */
    private static int cost(List<String> words) {
        return words.get(1).equals("merchant") ? 2 : 0;
    }

    /** A finished route: the marker on it, and what is done with it. */
    private double establish(List<String> words) {
        int at = 1; // a route may hold spaces, so what follows it is found by its word
        while (at < words.size() && !REWARDS.contains(words.get(at))) {
            at++;
        }
        if (at == words.size()) {
            return 0;
        }
        String marker = markers.get(String.join(" ", words.subList(1, at)));
        String what = at + 1 < words.size() ? words.get(at + 1) : "";
        int worth = switch (words.get(at)) {
            case "develop" -> of(ABILITIES, what) - of(developed, what);
            case "office" -> 9;
            case "extra" -> 7;
            case "prestige" -> 8 + Integer.parseInt(what);
            default -> 0;
        };
        return worth + (marker == null ? 0 : MARKERS.getOrDefault(marker, 3));
    }

    /** A piece on a post: the nearer its route is to being ours, the better. Long routes need many turns. */
    private double stand(String post) {
        String route = route(post);
        int marker = markers.containsKey(route) ? 2 : 0;
        return 6 * of(mine, route) - 4 * of(theirs, route) - 2 * of(free, route) + marker;
    }

    /** Worth its fee only to finish a route. */
    private double displace(String post) {
        String route = route(post);
        boolean isLast = of(mine, route) >= 2 && of(theirs, route) == 1 && of(free, route) == 0;
        return isLast && pieces >= 3 ? 85 : -10;
    }

    /** Markers are for using: more actions at once, abilities as soon as possible. */
    private double use(List<String> words) {
        return switch (words.get(1)) {
            case "actions_3", "actions_4" -> pieces >= 3 ? 98 : -5;
            case "develop_ability" -> 98 + of(ABILITIES, words.get(2)) - of(developed, words.get(2));
            default -> -5; // swapping offices and moving pieces without a plan does as much harm as good
        };
    }
}
