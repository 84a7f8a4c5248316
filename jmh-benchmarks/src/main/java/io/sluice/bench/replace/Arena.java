package io.sluice.bench.replace;

import io.sluice.bench.process.FullPageCache;
import io.sluice.harness.content.StoredDigest;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What all contenders of one case start from. Not thread-safe. */
final class Arena {
    private final Path home;
    private final List<GivenNode> nodes;
    private final StoredDigest expected;
    private final FullPageCache memory;
    private Optional<ContentDigest> expectedRows = Optional.empty();

    /**
     * @param home a folder for their files; each removes its own
     * @param nodes what each held before the last one died
     * @param expected how the dead node stored it
     */
    Arena(Path home, List<GivenNode> nodes, StoredDigest expected, FullPageCache memory) {
        this.home = home;
        this.nodes = List.copyOf(nodes);
        this.expected = expected;
        this.memory = memory;
    }

    Path home() {
        return home;
    }

    List<GivenNode> nodes() {
        return nodes;
    }

    /** How the dead node stored what it held. */
    StoredDigest expected() {
        return expected;
    }

    GivenNode dead() {
        return nodes.get(nodes.size() - 1);
    }

    List<GivenNode> survivors() {
        return nodes.subList(0, nodes.size() - 1);
    }

    /**
     * Gives everybody the same memory: the page cache is full, and the files of the sources are what it has read last.
     * To be called right before a replacement begins: a minute later some kernels have taken back what nobody uses.
     */
    void prepareMemory() throws IOException {
        memory.fill();
        for (GivenNode source : survivors()) {
            source.read();
        }
    }

    /**
     * Compares what a replacement holds with what the dead node held: rows, where it is not stored alike.
     *
     * @throws IOException if that is not the same
     */
    void requireSame(String who, List<SSTable> sstables) throws IOException {
        if (StoredDigest.of(sstables, TokenRange.FULL).equals(expected)) {
            return;
        }
        if (expectedRows.isEmpty()) {
            expectedRows = Optional.of(dead().digest());
        }
        ContentDigest rows = expectedRows.get();
        ContentDigest there = ContentDigest.of(sstables, TokenRanges.FULL);
        if (!there.equals(rows)) {
            throw new IOException(who + ": the replacement holds " + there + " (expected: " + rows
                    + ", as the dead node did); nothing is compared");
        }
    }
}
