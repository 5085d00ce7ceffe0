package hansa.example;

import hansa.v1.ViewOuterClass.HansaView;
import hansa.v1.ViewOuterClass.KindCount;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What the sensible bot likes in Hansa (2004).
 *
 * <p>A sold good is worth 1 and its barrels, an unsold one 1, a city with a booth 2 (4 if nobody else is there). All values are
 * in points, more or less.
 */
final class HansaTaste implements Taste {
    private static final int MOST_UNSOLD = 3; // more are taken away at the end of a turn

    /** A goods marker, such as "orange 2". */
    private record Good(String colour, int barrels) {
        static Good of(String text) {
            int space = text.lastIndexOf(' ');
            return new Good(text.substring(0, space), Integer.parseInt(text.substring(space + 1)));
        }
    }

    private final HansaView view;
    private final int seat;
    private final HansaView.Player me;
    private final Map<String, HansaView.City> cities = new HashMap<>();
    private final Map<String, Integer> colours = new HashMap<>(); // unsold goods
    private int unsold;

    HansaTaste(HansaView view, int seat) {
        this.view = view;
        this.seat = seat;
        me = seat < view.getPlayersCount() ? view.getPlayers(seat) : HansaView.Player.getDefaultInstance();
        view.getCitiesList().forEach(city -> cities.put(city.getCity(), city));
        for (KindCount good : me.getUnsoldList()) {
            colours.merge(Good.of(good.getKind()).colour(), good.getCount(), Integer::sum);
            unsold += good.getCount();
        }
    }

    @Override
    public double value(List<String> words) {
        String rest = Taste.join(words, 1);
        return switch (words.get(0)) {
            case "place" -> isAlone(rest) ? 5 - strangers(rest) : 1;
            case "replenish" -> emptyWarehouses() >= 3 ? 1 : -1;
            case "sell" -> 20 + Good.of(rest).barrels();
            case "buy" -> buy(Good.of(rest), view.getShip());
            case "build" -> build(Good.of(rest), view.getShip());
            case "sail" -> 0.8 * visit(rest) - 0.5;
            case "lose", "give" -> -keep(Good.of(rest));
            default -> 0; // end, finish, skip
        };
    }

    private int booths(String city, int whose) {
        HansaView.City found = cities.get(city);
        return found == null || whose >= found.getBoothsCount() ? 0 : found.getBooths(whose);
    }

    private IntStream seats() {
        return IntStream.range(0, view.getPlayersCount());
    }

    private int mostOfOthers(String city) {
        return seats().filter(other -> other != seat).map(other -> booths(city, other)).max().orElse(0);
    }

    private boolean isAlone(String city) {
        return mostOfOthers(city) == 0;
    }

    /** Seats without a booth in a city. */
    private long strangers(String city) {
        return seats().filter(any -> booths(city, any) == 0).count();
    }

    private long emptyWarehouses() {
        return view.getCitiesList().stream()
                .flatMap(city -> city.getWarehousesList().stream())
                .filter(String::isEmpty)
                .count();
    }

    private int count(Good good) {
        return colours.getOrDefault(good.colour(), 0);
    }

    /** Whoever has the most booths alone buys for nothing. */
    private int price(String city) {
        return booths(city, seat) > mostOfOthers(city) ? 0 : 1;
    }

    /** A good makes a pair with others of its colour, and then it can be sold for all its barrels. */
    private double buy(Good good, String city) {
        if (unsold >= MOST_UNSOLD && count(good) == 0) {
            return 0.2 - price(city);
        }
        double pair = count(good) > 0 ? 1 + good.barrels() : 0.6 * good.barrels();
        return 1 + pair - 0.7 * price(city);
    }

    /** A first booth in a city counts at the end, lets us sell there, and the most of them make buying free. */
    private double build(Good good, String city) {
        if (me.getBooths() == 0) {
            return -1;
        }
        int mine = booths(city, seat);
        int most = mostOfOthers(city);
        double gain = 0;
        if (mine == 0) {
            gain = isAlone(city) ? 4 : 2;
        } else if (mine <= most && most < mine + good.barrels()) {
            gain = 1.5;
        }
        double loss = 1 + (count(good) >= 2 ? good.barrels() : 0.5 * good.barrels());
        return gain + 0.5 - loss;
    }

    /** The worth of selling every colour of which there are two or more. */
    private double sale() {
        double worth = 0;
        for (KindCount kind : me.getUnsoldList()) {
            Good good = Good.of(kind.getKind());
            if (count(good) >= 2) {
                worth += kind.getCount() * (1 + good.barrels());
            }
        }
        return worth;
    }

    /** The best that could be done in a city. */
    private double visit(String city) {
        double best = booths(city, seat) > 0 ? sale() : 0;
        for (String good : cities.getOrDefault(city, HansaView.City.getDefaultInstance()).getWarehousesList()) {
            if (!good.isEmpty() && price(city) < me.getTalers()) {
                best = Math.max(best, buy(Good.of(good), city));
            }
        }
        for (KindCount good : me.getUnsoldList()) {
            best = Math.max(best, build(Good.of(good.getKind()), city));
        }
        return best;
    }

    /** How much a good is worth to keep. */
    private double keep(Good good) {
        return 1 + good.barrels() * (count(good) >= 2 ? 1.0 : 0.4);
    }
}
