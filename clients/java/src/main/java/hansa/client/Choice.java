package hansa.client;

import java.util.List;

/**
 * What a bot decides: a legal action, and something for spectators if it likes.
 *
 * @param action the id of the action
 * @param evaluation what each seat is expected to score, by seat; may be empty
 * @param comment a remark; at most 280 characters are kept
 */
public record Choice(int action, List<Float> evaluation, String comment) {
    public Choice {
        evaluation = List.copyOf(evaluation);
    }

    public static Choice of(Action action) {
        return of(action.id());
    }

    public static Choice of(int action) {
        return new Choice(action, List.of(), "");
    }

    /** The same with what each seat is expected to score. */
    public Choice withEvaluation(List<Float> expected) {
        return new Choice(action, expected, comment);
    }

    /** The same with a remark. */
    public Choice withComment(String remark) {
        return new Choice(action, evaluation, remark);
    }
}
