package hansa.client;

/** What can go wrong for a bot. The text says what to do about it. */
public sealed class ClientException extends RuntimeException {
    private ClientException(String text) {
        super(text);
    }

    /** An option, or options that do not go together. */
    public static final class BadOption extends ClientException {
        public BadOption(String text) {
            super(text);
        }
    }

    /** The server does not let this bot in, and trying again would not help. */
    public static final class Refused extends ClientException {
        public Refused(String text) {
            super(text);
        }
    }

    /** Another process plays under the same name or token. */
    public static final class Replaced extends ClientException {
        public Replaced(String text) {
            super(text);
        }
    }
}
