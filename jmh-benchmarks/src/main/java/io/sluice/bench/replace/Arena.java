package io.sluice.bench.replace;

import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What all contenders of one case start from. Immutable.
 *
 * @param shape of the cluster
 * @param home a folder for their files; each removes its own
 * @param nodes what each held before the last one died
 * @param expected how the dead node stored it
 */
record Arena(ReplaceCase shape, Path home, List<GivenNode> nodes, StoredDigest expected) {
    Arena {
        nodes = List.copyOf(nodes);
    }

    GivenNode dead() {
        return nodes.get(nodes.size() - 1);
    }

    List<GivenNode> survivors() {
        return nodes.subList(0, nodes.size() - 1);
    }

    /**
     * Gives everybody the same memory: the files of the sources are in the page cache, and as much is free as the
     * replacement will fill. To be called right before a replacement asks for data.
     *
     * @return how long it took
     */
    Duration prepareMemory() throws IOException {
        long began = System.nanoTime();
        for (GivenNode source : survivors()) {
            source.read();
        }
        FreeMemory.fetch(home, dead().bytes());
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** How long a node has to wait so that {@link #prepareMemory} ends before it asks for data; tries it. */
    RingDelay triedRingDelay() throws IOException {
        return new RingDelay(prepareMemory());
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
        ContentDigest rows = dead().digest();
        ContentDigest there = ContentDigest.of(sstables, TokenRanges.FULL);
        if (!there.equals(rows)) {
            throw new IOException(who + ": the replacement holds " + there + " (expected: " + rows
                    + ", as the dead node did); nothing is compared");
        }
    }
}
