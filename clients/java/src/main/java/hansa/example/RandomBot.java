package hansa.example;

import hansa.client.Bot;
import hansa.client.Choice;
import hansa.client.Decision;
import hansa.client.Profile;
import java.util.concurrent.ThreadLocalRandom;

/** Any legal action, all alike: the least a bot can be. */
public final class RandomBot implements Bot {
    @Override
    public Profile profile() {
        return Profile.named("java-random")
                .version("1")
                .maxMatches(256)
                .views(false)
                .texts(false)
                .build();
    }

    @Override
    public Choice choose(Decision decision) {
        return Choice.of(decision.legal().get(ThreadLocalRandom.current().nextInt(decision.legal().size())));
    }
}
