package hansa.client;

import hansa.v1.Game.ForfeitReason;
import hansa.v1.Game.PlayedAction;
import hansa.v1.Game.Result;
import hansa.v1.Game.SeatResult;
import hansa.v1.Play.Answer;
import hansa.v1.Play.AnswerProblem;
import hansa.v1.Play.AnswerRejected;
import hansa.v1.Play.DecisionRequest;
import hansa.v1.Play.MatchEnded;
import hansa.v1.Play.MatchEvents;
import hansa.v1.Play.MatchStarted;
import hansa.v1.Play.PlayRequest;
import hansa.v1.Play.PlayResponse;
import hansa.v1.Play.Resign;
import hansa.v1.Play.SeatForfeited;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A bot at its matches: takes in what the server says about them, asks the bot, gives its answers. Knows no stream. All of it
 * happens in the thread of the bot.
 */
final class Table {
    private static final Logger log = Logger.getLogger("hansa.client");
    private static final int MOST_COMMENT = 280;
    private static final CompletableFuture<Optional<PlayRequest>> NOTHING =
            CompletableFuture.completedFuture(Optional.empty());

    /** A match with what is needed to answer. A bot that plays against itself has several seats in it. */
    private static final class Seated {
        final Map<Integer, Match> seats = new TreeMap<>();
        final List<PlayedAction> history = new ArrayList<>(); // the same in all of the seats
        int sequence = -1; // of the newest decision
        List<Action> legal = List.of();
        final Set<Integer> tried = new HashSet<>(); // ids that were answered to it
    }

    private final Bot bot;
    private final Profile profile;
    private final Executor thread; // of the bot
    private final Map<String, Seated> matches = new HashMap<>();

    Table(Bot bot, Executor thread) {
        this.bot = bot;
        this.profile = bot.profile();
        this.thread = thread;
    }

    /**
     * Takes in a message about a match that was received at this time; gives the bot's reply, if it has one. What the bot does
     * wrong ends here: it is logged, and no other match hears of it.
     */
    CompletableFuture<Optional<PlayRequest>> take(PlayResponse message, long received) {
        switch (message.getMessageCase()) {
            case MATCH_STARTED -> start(message.getMatchStarted());
            case MATCH_EVENTS -> hear(message.getMatchEvents());
            case DECISION_REQUEST -> {
                return decide(message.getDecisionRequest(), received);
            }
            case ANSWER_REJECTED -> {
                return CompletableFuture.completedFuture(tryAgain(message.getAnswerRejected()));
            }
            case MATCH_ENDED -> end(message.getMatchEnded());
            default -> {}
        }
        return NOTHING;
    }

    private void start(MatchStarted message) {
        Seated seated = matches.computeIfAbsent(message.getMatchId(), id -> new Seated());
        takeUp(seated, message.getHistoryList());
        if (seated.seats.containsKey(message.getSeat())) {
            log.info(() -> "match " + message.getMatchId() + " goes on after " + seated.history.size() + " actions");
            return;
        }
        // What is kept needs no second copy of the history.
        Match match = new Match(message.toBuilder().clearHistory().build(), seated.history);
        seated.seats.put(match.seat(), match);
        log.info(() -> "match " + match.id() + ": " + match.rules().getGame() + ", seat " + match.seat() + " of "
                + match.players());
        call(match, "matchStarted", () -> bot.matchStarted(match));
    }

    private void hear(MatchEvents message) {
        Seated seated = matches.get(message.getMatchId());
        if (seated == null) {
            return;
        }
        for (SeatForfeited forfeit : message.getForfeitsList()) {
            for (Match match : seated.seats.values()) {
                match.givenUp.put(forfeit.getSeat(), forfeit.getReason());
                if (match.seat() == forfeit.getSeat()) {
                    log.severe("match " + match.id() + ": this seat is forfeited: " + words(forfeit.getReason()));
                }
            }
        }
        takeUp(seated, message.getActionsList());
    }

    private CompletableFuture<Optional<PlayRequest>> decide(DecisionRequest message, long received) {
        Seated seated = matches.computeIfAbsent(message.getMatchId(), id -> new Seated());
        takeUp(seated, message.getEventsList());
        seated.sequence = message.getSequence();
        seated.legal = legal(message);
        seated.tried.clear();
        if (seated.legal.isEmpty()) {
            throw new IllegalArgumentException("a decision without legal actions");
        }
        Match match = seated.seats.computeIfAbsent(message.getSeat(), seat -> {
            MatchStarted start = MatchStarted.newBuilder()
                    .setMatchId(message.getMatchId())
                    .setSeat(seat)
                    .build();
            return new Match(start, seated.history); // a seat of which no start was heard
        });
        Decision decision = new Decision(
                match,
                message.getSequence(),
                message.getSeat(),
                message.getPhase(),
                seated.legal,
                message.hasView() ? Optional.of(message.getView()) : Optional.empty(),
                new Clock(message.getClock(), received));
        CompletableFuture<Choice> choice;
        try {
            choice = bot.chooseAsync(decision);
        } catch (Exception | LinkageError | StackOverflowError problem) {
            choice = CompletableFuture.failedFuture(problem);
        }
        if (choice.isDone()) { // as with all bots that choose at once
            return CompletableFuture.completedFuture(Optional.of(
                    choice.handle((chosen, problem) -> settle(seated, decision, chosen, problem)).join()));
        }
        return choice.handleAsync((chosen, problem) -> Optional.of(settle(seated, decision, chosen, problem)), thread);
    }

    /** The answer that follows from a choice, or from the problem that there is none. */
    private PlayRequest settle(Seated seated, Decision decision, Choice choice, Throwable problem) {
        String match = decision.match().id();
        if (problem == null && choice == null) {
            problem = new NullPointerException("the choice is null");
        } else if (problem == null && decision.legal().stream().noneMatch(action -> action.id() == choice.action())) {
            problem = new IllegalArgumentException(
                    choice.action() + " is none of the " + decision.legal().size() + " legal actions");
        }
        if (problem == null) {
            seated.tried.add(choice.action());
            return answer(match, decision.sequence(), choice);
        }
        Throwable cause = problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        String where = "match " + match + ", decision " + decision.sequence() + " (" + decision.phase() + "): choosing failed, ";
        if (profile.resignOnError()) {
            log.log(Level.SEVERE, where + "the match is given up", cause);
            return PlayRequest.newBuilder()
                    .setResign(Resign.newBuilder().setMatchId(match))
                    .build();
        }
        Action any = any(decision.legal());
        log.log(Level.SEVERE, where + "playing " + any + " instead", cause);
        seated.tried.add(any.id());
        return answer(match, decision.sequence(), Choice.of(any));
    }

    /** An answer was refused. It was checked before it was sent, so the server knows better: take another one. */
    private Optional<PlayRequest> tryAgain(AnswerRejected message) {
        log.warning(() -> "match " + message.getMatchId() + ", decision " + message.getSequence() + ": answer not taken: "
                + message.getExplanation());
        Seated seated = matches.get(message.getMatchId());
        boolean isWorthIt = message.getProblem() == AnswerProblem.ANSWER_PROBLEM_ILLEGAL_ACTION
                || message.getProblem() == AnswerProblem.ANSWER_PROBLEM_MALFORMED;
        if (seated == null || seated.sequence != message.getSequence() || !isWorthIt) {
            return Optional.empty();
        }
        List<Action> rest = seated.legal.stream()
                .filter(action -> !seated.tried.contains(action.id()))
                .toList();
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        Action any = any(rest);
        seated.tried.add(any.id());
        return Optional.of(answer(message.getMatchId(), message.getSequence(), Choice.of(any)));
    }

    private void end(MatchEnded message) {
        Seated seated = matches.remove(message.getMatchId());
        if (seated == null) {
            return;
        }
        Optional<Result> result = message.hasResult() ? Optional.of(message.getResult()) : Optional.empty();
        for (Match match : seated.seats.values()) {
            if (result.isEmpty()) {
                log.info(() -> "match " + match.id() + " ended while the bot was away");
            } else if (match.seat() < message.getResult().getSeatsCount()) {
                SeatResult mine = message.getResult().getSeats(match.seat());
                log.info(() -> "match " + match.id() + " is over: seat " + match.seat() + ", " + mine.getTotal()
                        + " points, place " + mine.getRank());
            }
            call(match, "matchEnded", () -> bot.matchEnded(match, result));
        }
    }

    /** Adds actions to the history, and tells the bot of those that were not there before. */
    private void takeUp(Seated seated, List<PlayedAction> actions) {
        List<PlayedAction> news = actions.stream()
                .filter(played -> played.getSequence() >= seated.history.size())
                .toList();
        if (news.isEmpty()) {
            return;
        }
        seated.history.addAll(news);
        for (Match match : seated.seats.values()) {
            call(match, "actionsPlayed", () -> bot.actionsPlayed(match, news));
        }
    }

    /** Calls a hook of the bot; if it fails the match goes on. */
    private static void call(Match match, String name, Runnable hook) {
        try {
            hook.run();
        } catch (RuntimeException problem) {
            log.log(Level.SEVERE, problem, () -> "match " + match.id() + ": " + name + " failed");
        }
    }

    private static List<Action> legal(DecisionRequest message) {
        List<Action> legal = new ArrayList<>(message.getLegalActionsCount());
        for (int at = 0; at < message.getLegalActionsCount(); at++) {
            String text = at < message.getLegalTextsCount() ? message.getLegalTexts(at) : "";
            legal.add(new Action(message.getLegalActions(at), text));
        }
        return legal;
    }

    private static Action any(List<Action> actions) {
        return actions.get(ThreadLocalRandom.current().nextInt(actions.size()));
    }

    private static PlayRequest answer(String match, int sequence, Choice choice) {
        String comment = choice.comment();
        if (comment.codePointCount(0, comment.length()) > MOST_COMMENT) {
            comment = comment.substring(0, comment.offsetByCodePoints(0, MOST_COMMENT));
        }
        Answer.Builder answer = Answer.newBuilder()
                .setMatchId(match)
                .setSequence(sequence)
                .setAction(choice.action())
                .addAllEvaluation(choice.evaluation())
                .setComment(comment);
        return PlayRequest.newBuilder().setAnswer(answer).build();
    }

    /** "timeout", "illegal answer": why a seat was given up. */
    private static String words(ForfeitReason reason) {
        return reason.name().replace("FORFEIT_REASON_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
    }
}
