package hansa.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import hansa.v1.Clock.ClockState;
import hansa.v1.Game.PlayedAction;
import hansa.v1.Game.Result;
import hansa.v1.Play.AnswerProblem;
import hansa.v1.Play.AnswerRejected;
import hansa.v1.Play.DecisionRequest;
import hansa.v1.Play.MatchEnded;
import hansa.v1.Play.MatchStarted;
import hansa.v1.Play.PlayRequest;
import hansa.v1.Play.PlayResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TableTest {
    /** Does what a test says, and remembers what it heard. */
    private static final class ScriptedBot implements Bot {
        Function<Decision, CompletableFuture<Choice>> choosing =
                decision -> CompletableFuture.completedFuture(Choice.of(decision.legal().get(0)));
        Profile profile = Profile.named("scripted").build();
        int started;
        final List<Integer> heard = new ArrayList<>();
        final List<Boolean> ended = new ArrayList<>();

        @Override
        public Profile profile() {
            return profile;
        }

        @Override
        public CompletableFuture<Choice> chooseAsync(Decision decision) {
            return choosing.apply(decision);
        }

        @Override
        public void matchStarted(Match match) {
            started++;
        }

        @Override
        public void actionsPlayed(Match match, List<PlayedAction> actions) {
            actions.forEach(action -> heard.add(action.getSequence()));
        }

        @Override
        public void matchEnded(Match match, Optional<Result> result) {
            ended.add(result.isPresent());
        }
    }

    private final ScriptedBot bot = new ScriptedBot();
    private final Table table = new Table(bot, Runnable::run);

    private Optional<PlayRequest> take(PlayResponse message) {
        return table.take(message, System.nanoTime()).join();
    }

    private static List<PlayedAction> played(int count) {
        List<PlayedAction> actions = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            actions.add(PlayedAction.newBuilder().setSequence(at).build());
        }
        return actions;
    }

    private static PlayResponse started(int seat, int count) {
        MatchStarted.Builder start = MatchStarted.newBuilder().setMatchId("m").setSeat(seat).addAllHistory(played(count));
        return PlayResponse.newBuilder().setMatchStarted(start).build();
    }

    private static PlayResponse asked(int sequence, int seat, Integer... legal) {
        DecisionRequest.Builder request = DecisionRequest.newBuilder()
                .setMatchId("m")
                .setSeat(seat)
                .setSequence(sequence)
                .addAllLegalActions(List.of(legal))
                .setClock(ClockState.newBuilder().setDecision(Duration.newBuilder().setSeconds(10)))
                .addAllEvents(played(sequence));
        return PlayResponse.newBuilder().setDecisionRequest(request).build();
    }

    private static PlayResponse rejected(int sequence, AnswerProblem problem) {
        AnswerRejected.Builder rejected =
                AnswerRejected.newBuilder().setMatchId("m").setSequence(sequence).setProblem(problem);
        return PlayResponse.newBuilder().setAnswerRejected(rejected).build();
    }

    @Test
    void answersWithTheSequenceOfTheDecision() {
        assertTrue(take(started(0, 0)).isEmpty());
        var answer = take(asked(4, 0, 3, 5)).orElseThrow().getAnswer();
        assertEquals("m", answer.getMatchId());
        assertEquals(4, answer.getSequence());
        assertEquals(3, answer.getAction());
    }

    @Test
    void tellsTheBotEveryActionOnce() {
        take(started(0, 2));
        take(asked(4, 0, 3, 5));
        take(asked(5, 0, 3, 5));
        take(started(0, 6)); // after a reconnection
        assertEquals(1, bot.started);
        assertEquals(List.of(2, 3, 4, 5), bot.heard);
    }

    @Test
    void givesTheClockOfTheDecision() {
        List<java.time.Duration> left = new ArrayList<>();
        bot.choosing = decision -> {
            left.add(decision.clock().left().orElseThrow());
            return CompletableFuture.completedFuture(Choice.of(3));
        };
        table.take(asked(0, 0, 3, 5), System.nanoTime() - TimeUnit.SECONDS.toNanos(4)).join();
        table.take(asked(1, 0, 3, 5), System.nanoTime() - TimeUnit.SECONDS.toNanos(40)).join();
        assertTrue(left.get(0).compareTo(java.time.Duration.ofSeconds(6)) <= 0);
        assertEquals(java.time.Duration.ZERO, left.get(1));
    }

    @Test
    void waitsForABotThatThinksElsewhere() {
        CompletableFuture<Choice> later = new CompletableFuture<>();
        bot.choosing = decision -> later;
        take(started(0, 0));
        CompletableFuture<Optional<PlayRequest>> reply = table.take(asked(0, 0, 3, 5), System.nanoTime());
        assertFalse(reply.isDone());
        later.complete(Choice.of(5).withComment("at last"));
        assertEquals(5, reply.join().orElseThrow().getAnswer().getAction());
        assertEquals("at last", reply.join().orElseThrow().getAnswer().getComment());
    }

    @Test
    void playsAnyLegalActionWhenTheBotFails() {
        take(started(0, 0));
        bot.choosing = decision -> {
            throw new IllegalStateException("no idea");
        };
        assertEquals(7, take(asked(0, 0, 7)).orElseThrow().getAnswer().getAction());
        bot.choosing = decision -> CompletableFuture.completedFuture(Choice.of(4));
        assertEquals(7, take(asked(1, 0, 7)).orElseThrow().getAnswer().getAction());
        bot.choosing = decision -> CompletableFuture.completedFuture(null);
        assertEquals(7, take(asked(2, 0, 7)).orElseThrow().getAnswer().getAction());
    }

    @Test
    void resignsWhenTheBotFailsAndWantsThat() {
        bot.profile = Profile.named("scripted").resignOnError(true).build();
        bot.choosing = decision -> CompletableFuture.failedFuture(new IllegalStateException("no idea"));
        Table strict = new Table(bot, Runnable::run);
        Optional<PlayRequest> reply = strict.take(asked(0, 0, 3, 5), System.nanoTime()).join();
        assertEquals("m", reply.orElseThrow().getResign().getMatchId());
    }

    @Test
    void triesEveryOtherActionAfterRefusals() {
        take(started(0, 0));
        Set<Integer> tried = new TreeSet<>();
        tried.add(take(asked(0, 0, 3, 5, 8)).orElseThrow().getAnswer().getAction());
        PlayResponse refusal = rejected(0, AnswerProblem.ANSWER_PROBLEM_ILLEGAL_ACTION);
        tried.add(take(refusal).orElseThrow().getAnswer().getAction());
        tried.add(take(refusal).orElseThrow().getAnswer().getAction());
        assertEquals(Set.of(3, 5, 8), tried);
        assertTrue(take(refusal).isEmpty());
    }

    @Test
    void leavesRefusalsThatCostNothing() {
        take(started(0, 0));
        take(asked(1, 0, 3, 5));
        assertTrue(take(rejected(1, AnswerProblem.ANSWER_PROBLEM_STALE_SEQUENCE)).isEmpty());
        assertTrue(take(rejected(0, AnswerProblem.ANSWER_PROBLEM_ILLEGAL_ACTION)).isEmpty());
    }

    @Test
    void keepsSeveralSeatsOfAMatchApart() {
        take(started(0, 0));
        take(started(2, 0));
        assertEquals(2, bot.started);
        List<Integer> seats = new ArrayList<>();
        bot.choosing = decision -> {
            seats.addAll(List.of(decision.seat(), decision.match().seat()));
            return CompletableFuture.completedFuture(Choice.of(1));
        };
        take(asked(0, 2, 1, 2));
        take(asked(1, 0, 1, 2));
        assertEquals(List.of(2, 2, 0, 0), seats);
    }

    @Test
    void forgetsAMatchThatIsOver() {
        MatchEnded.Builder end = MatchEnded.newBuilder().setMatchId("m");
        take(started(0, 0));
        take(PlayResponse.newBuilder().setMatchEnded(end).build());
        take(PlayResponse.newBuilder().setMatchEnded(end).build());
        take(started(0, 0));
        take(PlayResponse.newBuilder().setMatchEnded(end.setResult(Result.getDefaultInstance())).build());
        assertEquals(List.of(false, true), bot.ended);
    }

    @Test
    void keepsWholeCharactersOfAComment() {
        bot.choosing = decision -> CompletableFuture.completedFuture(
                Choice.of(3).withComment("⚓🚢".repeat(200)).withEvaluation(List.of(1f, 2f)));
        var answer = take(asked(0, 0, 3, 5)).orElseThrow().getAnswer();
        assertEquals("⚓🚢".repeat(140), answer.getComment());
        assertEquals(2, answer.getEvaluationCount());
    }
}
