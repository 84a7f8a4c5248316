package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.LandedOrder;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.replace.JoinProgress.Stage;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Compares what landed of a table with what its source has pinned, range by range: first the bytes in which a range is
 * stored, which are the same where files and slices were moved; rows are decoded of the others. Immutable.
 */
record LandedVerification(PinnedDigests pinned, Member target, JoinProgress progress) {
    /**
     * Verifies what landed from a source; what landed from all sources is then the union of what they have pinned.
     *
     * @param theirs of the ranges of {@code share}
     * @throws DifferentException if rows of a range differ
     */
    Proof verify(Share share, UUID planId, Pinned table, StoredDigests theirs) throws IOException {
        Member source = share.source();
        TableRef its = table.table();
        List<TokenRange> ranges = share.ranges().ranges();
        progress.at(source, its, Stage.VERIFYING);
        progress.waitsFor("digests of " + its + " from " + source + " at " + target);
        StoredDigests ours = target.agent().landedStored(new LandedOrder(planId, its, ranges));
        requireOneForEach(ranges, theirs.ranges(), its + " at " + source);
        requireOneForEach(ranges, ours.ranges(), its + " from " + source + " at " + target);
        Map<TokenRange, String> digests = new HashMap<>();
        List<TokenRange> differing = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            if (theirs.ranges().get(i).equals(ours.ranges().get(i))) {
                digests.put(ranges.get(i), ours.ranges().get(i).hex());
            } else {
                differing.add(ranges.get(i));
            }
        }
        if (!differing.isEmpty()) {
            for (RangeDigest rows : equalRows(share, planId, table, differing)) {
                digests.put(rows.range(), rows.content().hex());
            }
        }
        progress.landed(source, its, ours.bytes());
        return new Proof(
                planId,
                source.endpoint(),
                ranges.size(),
                differing.size(),
                theirs.sstables(),
                theirs.bytes(),
                ours.sstables(),
                ours.bytes(),
                StoredDigest.ofDigests(ranges.stream().map(digests::get).toList())
                        .hex());
    }

    private List<RangeDigest> equalRows(Share share, UUID planId, Pinned table, List<TokenRange> ranges)
            throws IOException {
        Member source = share.source();
        TableRef its = table.table();
        progress.waitsFor("digests of rows of " + its + " from " + source + " at " + target);
        List<RangeDigest> theirs = theirRows(share, table, ranges);
        Digests ours = target.agent().landedDigests(new LandedOrder(planId, its, ranges));
        requireOneForEach(ranges, theirs, its + " at " + source);
        requireOneForEach(ranges, ours.ranges(), its + " from " + source + " at " + target);
        for (int i = 0; i < ranges.size(); i++) {
            if (!theirs.get(i).equals(ours.ranges().get(i))) {
                throw new DifferentException(
                        its + " from " + source + ", range " + theirs.get(i).range() + ": digest "
                                + ours.ranges().get(i).content() + " of what landed (expected: "
                                + theirs.get(i).content() + ", of what is pinned there); nothing of it is imported");
            }
        }
        return theirs;
    }

    private List<RangeDigest> theirRows(Share share, Pinned table, List<TokenRange> ranges) throws IOException {
        Digests known = share.known().get(table.table());
        return known == null
                ? pinned.rows(share.source(), table, ranges).ranges()
                : known.ranges().stream()
                        .filter(range -> ranges.contains(range.range()))
                        .toList();
    }

    private static void requireOneForEach(List<TokenRange> ranges, List<?> digests, String what) throws IOException {
        if (digests.size() != ranges.size()) {
            throw new IOException(
                    what + ": digests of " + digests.size() + " ranges (expected: " + ranges.size() + ")");
        }
    }

    /** What landed is not what is pinned. */
    static final class DifferentException extends IOException {
        private static final long serialVersionUID = 1L;

        private DifferentException(String message) {
            super(message);
        }
    }
}
