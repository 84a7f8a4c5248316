package io.sluice.bench.replace;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;

/**
 * What all contenders of one case start from. Immutable.
 *
 * @param shape of the cluster
 * @param home a folder for their files; each removes its own
 * @param nodes what each held before the last one died
 * @param expected content of the dead node
 */
record Arena(ReplaceCase shape, Path home, List<GivenNode> nodes, ContentDigest expected) {
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
     */
    void prepareMemory() throws IOException {
        for (GivenNode source : survivors()) {
            source.read();
        }
        FreeMemory.fetch(home, dead().bytes());
    }

    /**
     * Compares what a replacement holds with what the dead node held.
     *
     * @throws IOException if that is not the same
     */
    void requireSame(String who, List<SSTable> sstables) throws IOException {
        ContentDigest there = ContentDigest.of(sstables, TokenRanges.FULL);
        if (!there.equals(expected)) {
            throw new IOException(who + ": the replacement holds " + there + " (expected: " + expected
                    + ", as the dead node did); nothing is compared");
        }
    }

    /** The machine's average of the last minute, in processors. */
    static double load() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getSystemLoadAverage();
    }
}
