package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Brings keyspaces: a plan for each source, the digests of what landed beside those of what was pinned, and the import
 * of a table when it is there from all of its sources. Not thread-safe.
 */
final class Transfers {
    private static final long POLL_MILLIS = 200;
    private static final int ATTEMPTS = 3;

    private final JoinOrder order;
    private final UUID operation;
    private final UUID coordinator;
    private final Member target;
    private final Consumer<String> screen;

    /**
     * Brings nothing yet.
     *
     * @param operation of the pins
     * @param coordinator that has begun at {@code target}
     */
    Transfers(JoinOrder order, UUID operation, UUID coordinator, Member target, Consumer<String> screen) {
        this.order = order;
        this.operation = operation;
        this.coordinator = coordinator;
        this.target = target;
        this.screen = screen;
    }

    /** What landed of a table and is equal to what was pinned. */
    private record Verified(UUID planId, JoinReport.Transfer transfer) {}

    /** Brings all tables of a keyspace; when this returns, all of it is in the tables of the node. */
    List<JoinReport.Transfer> bring(JoinPlan plan, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        Map<TableRef, List<Verified>> landed = new LinkedHashMap<>();
        List<JoinReport.Transfer> transfers = new ArrayList<>();
        for (Map.Entry<Member, List<Pinned>> source : pinned.entrySet()) {
            TokenRanges ranges = plan.bySource().getOrDefault(source.getKey().endpoint(), TokenRanges.NONE);
            List<Pinned> wanted = source.getValue().stream()
                    .filter(table -> table.table().keyspace().equals(plan.keyspace()) && table.sstables() > 0)
                    .toList();
            if (!ranges.isEmpty() && !wanted.isEmpty()) {
                UUID planId = fetch(source.getKey(), wanted, ranges);
                for (Pinned table : wanted) {
                    JoinReport.Transfer transfer = verify(source.getKey(), planId, table, ranges);
                    transfers.add(transfer);
                    landed.computeIfAbsent(table.table(), key -> new ArrayList<>())
                            .add(new Verified(planId, transfer));
                }
            }
        }
        for (Map.Entry<TableRef, List<Verified>> table : landed.entrySet()) {
            importAll(table.getKey(), table.getValue());
        }
        return transfers;
    }

    private void importAll(TableRef table, List<Verified> verified) throws IOException {
        List<Verified> some = verified.stream() // a source may have nothing in these ranges
                .filter(landed -> landed.transfer().landedSSTables() > 0)
                .toList();
        Imported expected = new Imported(
                some.stream()
                        .mapToInt(landed -> landed.transfer().landedSSTables())
                        .sum(),
                some.stream()
                        .mapToLong(landed -> landed.transfer().landedBytes())
                        .sum());
        if (!some.isEmpty()) {
            Imported imported = target.agent()
                    .importLanded(new AgentMessages.Import(
                            coordinator,
                            some.stream().map(Verified::planId).toList(),
                            table,
                            expected.sstables(),
                            expected.bytes()));
            if (!imported.equals(expected)) {
                throw new IOException(table + ": " + target + " has imported " + imported.sstables() + " SSTables of "
                        + imported.bytes() + " bytes (expected: " + expected.sstables() + " of " + expected.bytes()
                        + ", as verified; run the command again: its keyspace is not marked)");
            }
        }
        screen.accept(
                table + ": " + expected.sstables() + " SSTables, " + ByteFormat.text(expected.bytes()) + ", imported");
    }

    private UUID fetch(Member source, List<Pinned> pinned, TokenRanges ranges)
            throws IOException, InterruptedException {
        List<TableRef> tables = pinned.stream().map(Pinned::table).toList();
        String failure = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            UUID planId = UUID.randomUUID();
            target.agent()
                    .fetch(new AgentMessages.Fetch(
                            coordinator,
                            operation,
                            planId,
                            order.operation(),
                            source.status().agent(),
                            tables,
                            ranges));
            PlanResult result = awaitResult(source, planId);
            if (result.isComplete()) {
                return planId;
            }
            failure = result.failure().map(PlanResult.Failure::toString).orElse("no reason given");
            screen.accept("from " + source + ", attempt " + attempt + " of " + ATTEMPTS + ": " + failure);
        }
        throw new IOException(
                "from " + source + ": " + failure + " (the node waits on; run again, or let it go on by --abort)");
    }

    private PlanResult awaitResult(Member source, UUID planId) throws IOException, InterruptedException {
        long shown = -1;
        while (true) {
            Progress progress = target.agent().progress(planId);
            if (progress.result().isPresent()) {
                return progress.result().get();
            }
            if (progress.bytesTotal() > 0 && progress.bytesReceived() != shown) {
                shown = progress.bytesReceived();
                screen.accept("from " + source + ": " + ByteFormat.text(shown) + " of "
                        + ByteFormat.text(progress.bytesTotal()));
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** What landed from a source is what it has pinned, range by range; the union of all sources is so, too. */
    private JoinReport.Transfer verify(Member source, UUID planId, Pinned table, TokenRanges ranges)
            throws IOException {
        List<TokenRange> list = ranges.ranges();
        Digests theirs = source.agent().pinnedDigests(new AgentMessages.DigestOrder(operation, table.table(), list));
        requireAsPinned(source, table, theirs);
        Digests ours = target.agent().landedDigests(new AgentMessages.LandedOrder(planId, table.table(), list));
        requireEqual(source, table.table(), theirs.ranges(), ours.ranges());
        ContentDigest sum =
                ours.ranges().stream().map(RangeDigest::content).reduce(ContentDigest.EMPTY, ContentDigest::plus);
        return new JoinReport.Transfer(
                source.endpoint(),
                table.table().toString(),
                list.size(),
                theirs.sstables(),
                theirs.bytes(),
                ours.sstables(),
                ours.bytes(),
                sum.toString());
    }

    /** Without this the digests of a snapshot that was removed, and of nothing, would be equal. */
    private static void requireAsPinned(Member source, Pinned table, Digests theirs) throws IOException {
        if (theirs.sstables() != table.sstables() || theirs.bytes() != table.bytes()) {
            throw new IOException(table.table() + " at " + source + ": the snapshot has " + theirs.sstables()
                    + " SSTables of " + theirs.bytes() + " bytes (expected: " + table.sstables() + " of "
                    + table.bytes()
                    + ", as when it was pinned; was it cleared by nodetool clearsnapshot? Run the command"
                    + " again: the table is pinned anew); nothing of it is imported");
        }
    }

    static void requireEqual(Member source, TableRef table, List<RangeDigest> theirs, List<RangeDigest> ours)
            throws IOException {
        if (theirs.size() != ours.size()) {
            throw new IOException(table + " from " + source + ": digests of " + ours.size() + " ranges (expected: "
                    + theirs.size() + ")");
        }
        for (int i = 0; i < theirs.size(); i++) {
            if (!theirs.get(i).equals(ours.get(i))) {
                throw new IOException(
                        table + " from " + source + ", range " + theirs.get(i).range() + ": digest "
                                + ours.get(i).content() + " of what landed (expected: "
                                + theirs.get(i).content() + ", of what is pinned there); nothing of it is imported");
            }
        }
    }
}
