package io.sluice.harness.config;

import io.sluice.harness.store.SyncPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The keys of sluice.yaml that say who a node is and where it lives, as typed values. Immutable.
 *
 * @param nodeId empty: made from the name
 * @param adminAddress {@code auto}, a loopback address, or {@code unix:} and a path
 * @param adminTokenFile holds what whoever asks the admin endpoint must know; made if it is not there
 * @param streamDropPageCache whether streamed SSTables leave the memory of the operating system
 * @param memtableHeapSpace in bytes
 * @param dataDirectory holds a folder for each keyspace
 */
public record NodeSettings(
        String nodeName,
        Optional<UUID> nodeId,
        String dc,
        String rack,
        String listenAddress,
        int storagePort,
        String adminAddress,
        int adminPort,
        Path adminTokenFile,
        List<Long> initialToken,
        Path dataDirectory,
        Path logDirectory,
        boolean streamDropPageCache,
        SyncPolicy commitlogSync,
        long memtableHeapSpace,
        Compaction compaction) {
    /** Which SSTables become one, and when. */
    public enum Compaction {
        /** None ever. */
        NONE,
        /** Those of a size. */
        SIZE_TIERED,
        /** Those of a level and range. */
        LEVELED
    }

    public NodeSettings {
        initialToken = List.copyOf(initialToken);
    }
}
