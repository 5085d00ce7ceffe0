package hansa.client;

/** A legal action: its id and, if texts are wanted, what it means in words. */
public record Action(int id, String text) {}
