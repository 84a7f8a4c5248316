package io.sluice.harness.admin;

import io.sluice.sstable.token.TokenRange;
import java.util.List;
import java.util.UUID;

/**
 * "From now on all writes to these ranges come to you, and no others." Immutable.
 *
 * @param hasMissed whether a write to the table did not reach the node since it was told last
 */
public record TakePartOrder(UUID tableId, List<TokenRange> ranges, boolean hasMissed) {
    public TakePartOrder {
        ranges = List.copyOf(ranges);
    }
}
