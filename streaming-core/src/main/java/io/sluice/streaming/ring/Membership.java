package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.List;
import java.util.UUID;

/**
 * How a node belongs to the ring. A node holds the ranges of its tokens unless it is {@link Joining} or
 * {@link Replacing}; the ranges that it will hold after the change are <em>pending</em>. Immutable.
 */
public sealed interface Membership {
    /** Holds its ranges, and keeps them. */
    record Normal() implements Membership {}

    /** Holds nothing yet; its tokens are the future ones. */
    record Joining() implements Membership {}

    /** Still owns its ranges, and is about to lose all of them. */
    record Leaving() implements Membership {}

    /** Still holds the ranges of its tokens, and is about to change them for {@code target}. */
    record Moving(List<Token> target) implements Membership {
        public Moving {
            target = target.stream().sorted().toList();
        }
    }

    /** Holds nothing yet, and will take over the tokens of the dead node with the id {@code replaced}. */
    record Replacing(UUID replaced) implements Membership {}

    /** Whether a node of this kind holds the ranges of its tokens now. */
    default boolean holdsItsRanges() {
        return !(this instanceof Joining || this instanceof Replacing);
    }
}
