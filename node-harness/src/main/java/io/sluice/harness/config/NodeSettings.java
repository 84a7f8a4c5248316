package io.sluice.harness.config;

import io.sluice.harness.store.SyncPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The keys of sluice.yaml that describe a node and its place, as typed values. Immutable.
 *
 * @param nodeId empty: derived from the name
 * @param adminAddress {@code auto}, a loopback address, or {@code unix:} and a path
 * @param adminTokenFile holds the token that admin requests must carry; created if missing
 * @param streamDropPageCache whether streamed SSTables are dropped from the page cache
 * @param memtableHeapSpace in bytes
 * @param dataFileDirectories each holds a folder for each keyspace; the first also holds the commit log
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
        List<Path> dataFileDirectories,
        Path logDirectory,
        boolean streamDropPageCache,
        SyncPolicy commitlogSync,
        long memtableHeapSpace,
        Compaction compaction) {
    /** Compaction strategy. */
    public enum Compaction {
        /** No compaction. */
        NONE,
        /** Compacts SSTables of similar size. */
        SIZE_TIERED,
        /** Compacts SSTables of a level and range. */
        LEVELED
    }

    public NodeSettings {
        initialToken = List.copyOf(initialToken);
        dataFileDirectories = List.copyOf(dataFileDirectories);
        requireApart(dataFileDirectories);
    }

    /** Two stores within each other's folders would delete each other's files. */
    private static void requireApart(List<Path> directories) {
        List<Path> absolute = directories.stream()
                .map(directory -> directory.toAbsolutePath().normalize())
                .toList();
        for (int i = 0; i < absolute.size(); i++) {
            for (int j = 0; j < absolute.size(); j++) {
                if (i != j && absolute.get(i).startsWith(absolute.get(j))) {
                    throw new ConfigException("data_file_directories: '" + directories.get(i) + "' and '"
                            + directories.get(j) + "' (expected: different folders, none within another)");
                }
            }
        }
    }
}
