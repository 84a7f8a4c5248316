package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * SSTables of one table that one plan has brought. Immutable.
 *
 * @param dataFiles their {@code Data.db} files, in the folders that received them; none if they are imported
 */
record LandedSet(UUID installId, Origin origin, TableRef table, List<String> dataFiles, Optional<Proof> imported) {
    LandedSet {
        Objects.requireNonNull(origin, "origin"); // a file may lack it
        dataFiles = List.copyOf(dataFiles);
    }

    UUID planId() {
        return origin.planId();
    }

    /**
     * Where a set comes from, and why. Immutable.
     *
     * @param source id of the agent that has sent it
     */
    record Origin(UUID planId, UUID operation, UUID source, TokenRanges ranges) {
        static Origin of(Fetch order) {
            return new Origin(order.planId(), order.operation(), order.source().id(), order.ranges());
        }
    }
}
