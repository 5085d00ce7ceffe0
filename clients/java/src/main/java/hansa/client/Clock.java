package hansa.client;

import hansa.v1.Clock.ClockState;
import java.time.Duration;
import java.util.Optional;

/** The clock of a decision. */
public final class Clock {
    private final ClockState state;
    private final long received; // in nanoseconds of System.nanoTime

    Clock(ClockState state, long received) {
        this.state = state;
        this.received = received;
    }

    /** What is left for this decision now; empty if there is no limit. */
    public Optional<Duration> left() {
        if (!state.hasDecision()) {
            return Optional.empty();
        }
        Duration left = duration(state.getDecision()).minusNanos(System.nanoTime() - received);
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }

    /** What was left in the bank when the decision was asked for; empty without a bank. */
    public Optional<Duration> bank() {
        return state.hasBank() ? Optional.of(duration(state.getBank())) : Optional.empty();
    }

    static Duration duration(com.google.protobuf.Duration message) {
        return Duration.ofSeconds(message.getSeconds(), message.getNanos());
    }
}
