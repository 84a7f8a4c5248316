package io.sluice.streaming.engine.receive;

import io.sluice.streaming.plan.Operation.Priority;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * What waits for the same resource: the most urgent is next, and among equals the one that has waited longest.
 * Priorities may change while they wait. Not thread-safe.
 */
final class WaitQueue<T> {
    private final List<T> waiting = new ArrayList<>(); // the first has waited longest
    private final Comparator<T> urgency;

    /** @param priority of one that waits, now */
    WaitQueue(Function<T, Priority> priority) {
        this.urgency = Comparator.comparing(priority);
    }

    void add(T last) {
        waiting.add(last);
    }

    void remove(T one) {
        waiting.remove(one);
    }

    /** Removes the next; empty if none waits. */
    Optional<T> poll() {
        Optional<T> next = waiting.stream().reduce(BinaryOperator.maxBy(urgency)); // of equals, the first
        next.ifPresent(waiting::remove);
        return next;
    }

    /** How many get it before {@code one}, as it is now. */
    int before(T one) {
        int place = waiting.indexOf(one);
        int before = 0;
        for (int i = 0; i < waiting.size(); i++) {
            int compared = urgency.compare(waiting.get(i), one);
            before += compared > 0 || (compared == 0 && i < place) ? 1 : 0;
        }
        return before;
    }

    int size() {
        return waiting.size();
    }
}
