package hansa.example;

import hansa.client.Action;
import hansa.client.Bot;
import hansa.client.Choice;
import hansa.client.Decision;
import hansa.client.Profile;
import hansa.v1.ViewOuterClass.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Takes points and routes: every action has a value, the best one is played. No look ahead, no rules engine. */
public final class SensibleBot implements Bot {
    @Override
    public Profile profile() {
        return Profile.named("java-sensible").version("1").maxMatches(256).build();
    }

    /** The action of the highest value; among equals, any. */
    @Override
    public Choice choose(Decision decision) {
        Taste taste = taste(decision);
        List<Action> best = new ArrayList<>();
        double highest = Double.NEGATIVE_INFINITY;
        for (Action action : decision.legal()) {
            double value = taste.value(Taste.words(action.text()));
            if (value > highest) {
                highest = value;
                best.clear();
            }
            if (value == highest) {
                best.add(action);
            }
        }
        return Choice.of(best.get(ThreadLocalRandom.current().nextInt(best.size())));
    }

    private static Taste taste(Decision decision) {
        View view = decision.view().orElse(View.getDefaultInstance());
        return switch (view.getGameCase()) {
            case TEUTONICA -> new TeutonicaTaste(view.getTeutonica(), decision.seat(), decision.legal());
            case HANSA -> new HansaTaste(view.getHansa(), decision.seat());
            case GAME_NOT_SET -> words -> 0; // a game this bot does not know
        };
    }
}
