package hansa.client;

import hansa.client.ClientException.BadOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How to reach the server: the command line before the environment before the defaults.
 *
 * @param server host:port
 * @param token the bot's token; may be empty
 * @param name instead of the bot's own; empty leaves it
 * @param maxMatches instead of the bot's own; 0 leaves it
 * @param tls use TLS with the certificates this machine trusts
 * @param tlsCa PEM file of the authority that signed the server's certificate; turns TLS on
 * @param tlsCertificate PEM file of the bot's own certificate, for mutual TLS
 * @param tlsKey PEM file of its key
 * @param firstDelay before the first new attempt to connect, doubled with each further one
 * @param longestDelay between attempts, at most
 */
public record Options(
        String server,
        String token,
        String name,
        int maxMatches,
        boolean tls,
        Optional<Path> tlsCa,
        Optional<Path> tlsCertificate,
        Optional<Path> tlsKey,
        Duration firstDelay,
        Duration longestDelay) {
    public static final String DEFAULT_SERVER = "127.0.0.1:7717";

    /** The lines of {@code --help} about these options. */
    public static final String HELP =
            """
              --server HOST:PORT  where to play; HANSA_SERVER, or 127.0.0.1:7717
              --token-file FILE   a file that holds the bot's token; or set HANSA_TOKEN
              --name NAME         play under this name
              --max-matches N     matches at once
              --tls               encrypt, with the usual certificates
              --tls-ca FILE       encrypt; the server's certificate is signed by this one
              --tls-cert FILE     the bot's own certificate, for mutual TLS
              --tls-key FILE      its key
            """;

    /** Throws {@link BadOption} if these options cannot be, or would send the token in the open to another machine. */
    public Options {
        if (!server.matches(".+:\\d+")) {
            throw new BadOption("--server must be HOST:PORT, not '" + server + "'");
        }
        if (maxMatches < 0) {
            throw new BadOption("--max-matches must not be negative");
        }
        if (tlsCertificate.isPresent() != tlsKey.isPresent()) {
            throw new BadOption("--tls-cert and --tls-key come together");
        }
        boolean encrypts = tls || tlsCa.isPresent() || tlsCertificate.isPresent();
        if (!token.isEmpty() && !encrypts && !isLoopback(server)) {
            throw new BadOption("a token must not travel in the open to " + host(server) + ": use --tls or --tls-ca");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Whether the connection is encrypted. */
    public boolean usesTls() {
        return tls || tlsCa.isPresent() || tlsCertificate.isPresent();
    }

    /** Whether the server is on this machine. */
    public boolean isLoopback() {
        return isLoopback(server);
    }

    /**
     * Takes the options of every bot out of the arguments, leaves the others in them, and fills up from the environment.
     * Throws {@link BadOption}.
     */
    public static Options fromArguments(List<String> arguments, Map<String, String> environment) {
        Builder builder = builder()
                .server(environment.getOrDefault("HANSA_SERVER", DEFAULT_SERVER))
                .token(environment.getOrDefault("HANSA_TOKEN", ""));
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String argument = rest.next();
            String[] parts = argument.split("=", 2); // as in --server=HOST:PORT
            String option = parts[0];
            switch (option) {
                case "--server" -> builder.server(value(parts, rest));
                case "--token-file" -> builder.token(readToken(value(parts, rest)));
                case "--name" -> builder.name(value(parts, rest));
                case "--max-matches" -> builder.maxMatches(number(option, value(parts, rest)));
                case "--tls" -> builder.tls(true);
                case "--tls-ca" -> builder.tlsCa(Path.of(value(parts, rest)));
                case "--tls-cert" -> builder.tlsCertificate(Path.of(value(parts, rest)));
                case "--tls-key" -> builder.tlsKey(Path.of(value(parts, rest)));
                default -> {
                    continue;
                }
            }
            rest.remove();
        }
        return builder.build();
    }

    /** The value of an option, which is taken out of the arguments if it is one of its own. */
    private static String value(String[] parts, Iterator<String> rest) {
        if (parts.length == 2) {
            return parts[1];
        }
        if (!rest.hasNext()) {
            throw new BadOption(parts[0] + " needs a value");
        }
        rest.remove();
        return rest.next();
    }

    private static int number(String option, String text) {
        try {
            int value = Integer.parseInt(text);
            if (value >= 1) {
                return value;
            }
        } catch (NumberFormatException problem) {
            // said below
        }
        throw new BadOption(option + " must be a number from 1 on, not '" + text + "'");
    }

    private static String readToken(String file) {
        String text;
        try {
            text = Files.readString(Path.of(file)).strip();
        } catch (IOException problem) {
            throw new BadOption(file + " cannot be read");
        }
        if (text.isEmpty() || text.chars().anyMatch(Character::isWhitespace)) {
            throw new BadOption(file + " must hold a token and nothing else");
        }
        return text;
    }

    private static String host(String server) {
        return server.substring(0, server.lastIndexOf(':')).replaceAll("^\\[(.*)]$", "$1");
    }

    private static boolean isLoopback(String server) {
        String host = host(server);
        if (!host.matches("\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9a-fA-F.]*:[0-9a-fA-F:.]*")) { // no address, and names are not looked up
            return host.equals("localhost");
        }
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException problem) {
            return false;
        }
    }

    /** Sets what differs from a bot that plays on this machine. */
    public static final class Builder {
        private String server = DEFAULT_SERVER;
        private String token = "";
        private String name = "";
        private int maxMatches = 0;
        private boolean tls = false;
        private Optional<Path> tlsCa = Optional.empty();
        private Optional<Path> tlsCertificate = Optional.empty();
        private Optional<Path> tlsKey = Optional.empty();
        private Duration firstDelay = Duration.ofMillis(200);
        private Duration longestDelay = Duration.ofSeconds(5);

        private Builder() {}

        public Builder server(String value) {
            server = value;
            return this;
        }

        public Builder token(String value) {
            token = value;
            return this;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder maxMatches(int value) {
            maxMatches = value;
            return this;
        }

        public Builder tls(boolean value) {
            tls = value;
            return this;
        }

        public Builder tlsCa(Path value) {
            tlsCa = Optional.of(value);
            return this;
        }

        public Builder tlsCertificate(Path value) {
            tlsCertificate = Optional.of(value);
            return this;
        }

        public Builder tlsKey(Path value) {
            tlsKey = Optional.of(value);
            return this;
        }

        public Builder delays(Duration first, Duration longest) {
            firstDelay = first;
            longestDelay = longest;
            return this;
        }

        /** Throws {@link BadOption}. */
        public Options build() {
            return new Options(
                    server,
                    token,
                    name,
                    maxMatches,
                    tls,
                    tlsCa,
                    tlsCertificate,
                    tlsKey,
                    firstDelay,
                    longestDelay);
        }
    }
}
