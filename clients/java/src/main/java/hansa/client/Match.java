package hansa.client;

import hansa.v1.Clock.ClockRules;
import hansa.v1.Game.ForfeitReason;
import hansa.v1.Game.PlayedAction;
import hansa.v1.Game.Rules;
import hansa.v1.Play.MatchStarted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A match that this bot plays. A bot that sits at several seats of a match has a Match for each. */
public final class Match {
    final List<PlayedAction> played; // the same list at all seats
    final Map<Integer, ForfeitReason> givenUp = new HashMap<>();
    private final MatchStarted start;
    private final Map<String, Object> data = new HashMap<>();

    Match(MatchStarted start, List<PlayedAction> played) {
        this.start = start;
        this.played = played;
    }

    /** A match of which nothing is known but its id and the seat. */
    public static Match of(String id, int seat) {
        return new Match(MatchStarted.newBuilder().setMatchId(id).setSeat(seat).build(), new ArrayList<>());
    }

    public String id() {
        return start.getMatchId();
    }

    public int seat() {
        return start.getSeat();
    }

    /** The options of the game, all filled in. */
    public Rules rules() {
        return start.getRules();
    }

    /** The names by seat; empty names when the opponents are kept secret. */
    public List<String> players() {
        return start.getPlayersList();
    }

    /** How time is counted. */
    public ClockRules clock() {
        return start.getClock();
    }

    /** Everything played so far. */
    public List<PlayedAction> history() {
        return Collections.unmodifiableList(played);
    }

    /** Seats given up, and why. */
    public Map<Integer, ForfeitReason> forfeits() {
        return Collections.unmodifiableMap(givenUp);
    }

    /** The bot's own notes on this match. */
    public Map<String, Object> data() {
        return data;
    }
}
