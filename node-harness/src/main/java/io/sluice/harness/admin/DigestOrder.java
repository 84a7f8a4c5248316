package io.sluice.harness.admin;

import io.sluice.sstable.token.TokenRange;
import java.util.List;
import java.util.UUID;

/** "Read what you hold of these ranges and tell me its digest, range by range." Immutable. */
public record DigestOrder(UUID tableId, List<TokenRange> ranges) {
    public DigestOrder {
        ranges = List.copyOf(ranges);
    }
}
