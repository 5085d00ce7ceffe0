package hansa.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/** The main function of a bot. */
public final class BotMain {
    private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

    private BotMain() {}

    /**
     * Plays until Ctrl-C and returns the exit code. The first Ctrl-C (or SIGTERM) says goodbye: no new matches, those that run
     * are played to their end. The second one ends the process at once.
     */
    public static int run(Bot bot, String... arguments) {
        return run(bot, List.of(arguments), "");
    }

    /** The same, with help for options that were taken out of the arguments before. */
    public static int run(Bot bot, List<String> arguments, String moreHelp) {
        String name = bot.profile().name();
        if (arguments.contains("--help") || arguments.contains("-h")) {
            System.out.print("A bot for the Hansa board games.\n\n" + moreHelp + Options.HELP);
            return 0;
        }
        if (System.getProperty(LOG_FORMAT) == null) {
            System.setProperty(LOG_FORMAT, "%1$tT %5$s%6$s%n"); // one line, with the time
        }
        try {
            List<String> rest = new ArrayList<>(arguments);
            Options options = Options.fromArguments(rest, System.getenv());
            if (!rest.isEmpty()) {
                throw new ClientException.BadOption("there is no option " + rest.get(0) + "; --help shows all");
            }
            try (Client client = new Client(bot, options)) {
                leaveOnSignal(client);
                client.start().join();
            }
            return 0;
        } catch (ClientException.BadOption problem) {
            System.err.println(name + ": " + problem.getMessage());
            return 2;
        } catch (CompletionException problem) {
            if (problem.getCause() instanceof ClientException cause) {
                System.err.println(name + ": " + cause.getMessage());
                return 1;
            }
            throw problem;
        }
    }

    private static void leaveOnSignal(Client client) {
        AtomicInteger came = new AtomicInteger();
        for (String signal : List.of("INT", "TERM")) {
            Signal.handle(new Signal(signal), number -> {
                if (came.incrementAndGet() == 1) {
                    client.leave();
                } else {
                    Runtime.getRuntime().halt(0); // the bot may be in a thought that takes forever
                }
            });
        }
    }
}
