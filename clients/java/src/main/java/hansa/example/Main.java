package hansa.example;

import hansa.client.Bot;
import hansa.client.BotMain;
import java.util.ArrayList;
import java.util.List;

/** The example bots: {@code --bot sensible} or {@code --bot random}, with the options every bot has. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        List<String> rest = new ArrayList<>(List.of(arguments));
        String name = "sensible";
        int at = rest.indexOf("--bot");
        if (at >= 0 && at + 1 < rest.size()) {
            rest.remove(at);
            name = rest.remove(at);
        }
        Bot bot = switch (name) {
            case "sensible" -> new SensibleBot();
            case "random" -> new RandomBot();
            default -> null;
        };
        if (bot == null) {
            System.err.println("--bot must be sensible or random, not '" + name + "'");
            System.exit(2);
        }
        System.exit(BotMain.run(bot, rest, "  --bot NAME          sensible (the default) or random\n"));
    }
}
