package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.List;
import java.util.UUID;

/**
 * A member of the ring. Immutable.
 *
 * @param id unique for ever; a replacement has an id of its own
 * @param name for people, in logs and reports
 * @param tokens ascending, at least one
 */
public record Node(UUID id, String name, Address address, List<Token> tokens) {
    public Node {
        if (tokens.isEmpty()) {
            throw new IllegalArgumentException("node " + name + ": no tokens (expected: at least one)");
        }
        tokens = tokens.stream().sorted().toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
