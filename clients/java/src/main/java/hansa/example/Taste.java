package hansa.example;

import java.util.List;

/** What a seat likes in a position. Values only compare actions of the same decision. */
interface Taste {
    /** How good an action is; its text in words, such as "place", "trader", "Kampen-Osnabrück", "2". */
    double value(List<String> words);

    static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    /** The words from this one on, as a text again. */
    static String join(List<String> words, int from) {
        return String.join(" ", words.subList(Math.min(from, words.size()), words.size()));
    }
}
