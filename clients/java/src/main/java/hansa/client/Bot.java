package hansa.client;

import hansa.v1.Game.PlayedAction;
import hansa.v1.Game.Result;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A bot: write {@link #profile} and one of {@link #choose} and {@link #chooseAsync}.
 *
 * <p>All methods are called in one thread, one call after the other, so a bot keeps what it likes in its fields. The stream
 * to the server has other threads and stays alive however long a bot thinks.
 */
public interface Bot {
    Profile profile();

    /**
     * Decide. Whatever it throws costs this one decision, or the match with {@code resignOnError}; other matches do not
     * notice.
     */
    default Choice choose(Decision decision) throws Exception {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " needs a method choose or chooseAsync");
    }

    /**
     * Decide later, while other matches are asked about. For bots that wait for something else, or think in threads of their
     * own: {@code return CompletableFuture.supplyAsync(() -> think(decision), pool)}.
     */
    default CompletableFuture<Choice> chooseAsync(Decision decision) {
        try {
            return CompletableFuture.completedFuture(choose(decision));
        } catch (Exception problem) {
            return CompletableFuture.failedFuture(problem);
        }
    }

    /** A match begins; its history is not empty if the bot comes into a running one. */
    default void matchStarted(Match match) {}

    /** Actions were played, the bot's own included. */
    default void actionsPlayed(Match match, List<PlayedAction> actions) {}

    /** A match is over. The result is empty if it ended while the bot was not connected. */
    default void matchEnded(Match match, Optional<Result> result) {}
}
