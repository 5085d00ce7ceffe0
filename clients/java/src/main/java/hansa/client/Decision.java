package hansa.client;

import hansa.v1.ViewOuterClass.View;
import java.util.List;
import java.util.Optional;

/**
 * A decision that this bot has to make.
 *
 * @param match the match it belongs to
 * @param sequence how many actions were played before it
 * @param seat the seat that decides
 * @param phase what is being decided (docs/actions.md)
 * @param legal the legal actions; never empty
 * @param view the position as this seat sees it; empty unless the bot wants views
 * @param clock the clock
 */
public record Decision(
        Match match, int sequence, int seat, String phase, List<Action> legal, Optional<View> view, Clock clock) {
    public Decision {
        legal = List.copyOf(legal);
    }
}
