package hansa.client;

import java.util.List;

/**
 * How a bot introduces itself, and what it wants to be sent.
 *
 * @param name under which it plays; with a token, the token's name counts
 * @param version for records and ratings
 * @param games that it plays, such as "teutonica"; empty for all
 * @param maxMatches at once
 * @param views wants positions
 * @param texts wants actions in words
 * @param eventsAtOnce hears at once of what is played, not with its next decision
 * @param resignOnError when choosing fails: give the match up, instead of playing any legal action
 */
public record Profile(
        String name,
        String version,
        List<String> games,
        int maxMatches,
        boolean views,
        boolean texts,
        boolean eventsAtOnce,
        boolean resignOnError) {
    public Profile {
        games = List.copyOf(games);
    }

    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Sets what differs from a bot that plays 16 matches of all games at once and wants positions and texts. */
    public static final class Builder {
        private final String name;
        private String version = "";
        private List<String> games = List.of();
        private int maxMatches = 16;
        private boolean views = true;
        private boolean texts = true;
        private boolean eventsAtOnce = false;
        private boolean resignOnError = false;

        private Builder(String name) {
            this.name = name;
        }

        public Builder version(String value) {
            version = value;
            return this;
        }

        public Builder games(String... value) {
            games = List.of(value);
            return this;
        }

        public Builder maxMatches(int value) {
            maxMatches = value;
            return this;
        }

        public Builder views(boolean value) {
            views = value;
            return this;
        }

        public Builder texts(boolean value) {
            texts = value;
            return this;
        }

        public Builder eventsAtOnce(boolean value) {
            eventsAtOnce = value;
            return this;
        }

        public Builder resignOnError(boolean value) {
            resignOnError = value;
            return this;
        }

        public Profile build() {
            return new Profile(name, version, games, maxMatches, views, texts, eventsAtOnce, resignOnError);
        }
    }
}
