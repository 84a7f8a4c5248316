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
import io.sluice.streaming.plan.StreamRequest;
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
    private final Member target;
    private final Consumer<String> screen;

    Transfers(JoinOrder order, UUID operation, Member target, Consumer<String> screen) {
        this.order = order;
        this.operation = operation;
        this.target = target;
        this.screen = screen;
    }

    /** Brings all tables of a keyspace; when this returns, all of it is in the tables of the node. */
    List<JoinReport.Transfer> bring(JoinPlan plan, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        Map<TableRef, List<UUID>> landed = new LinkedHashMap<>();
        List<JoinReport.Transfer> transfers = new ArrayList<>();
        for (Map.Entry<Member, List<Pinned>> source : pinned.entrySet()) {
            TokenRanges ranges = plan.bySource().getOrDefault(source.getKey().endpoint(), TokenRanges.NONE);
            List<Pinned> wanted = source.getValue().stream()
                    .filter(table -> table.table().keyspace().equals(plan.keyspace()) && table.sstables() > 0)
                    .toList();
            if (!ranges.isEmpty() && !wanted.isEmpty()) {
                UUID planId = fetch(source.getKey(), wanted, ranges);
                for (Pinned table : wanted) {
                    transfers.add(verify(source.getKey(), planId, table, ranges));
                    landed.computeIfAbsent(table.table(), key -> new ArrayList<>())
                            .add(planId);
                }
            }
        }
        for (Map.Entry<TableRef, List<UUID>> table : landed.entrySet()) {
            Imported imported = target.agent().importLanded(new AgentMessages.Import(table.getValue(), table.getKey()));
            screen.accept(table.getKey() + ": " + imported.sstables() + " SSTables, "
                    + ByteFormat.text(imported.bytes()) + ", imported");
        }
        return transfers;
    }

    private UUID fetch(Member source, List<Pinned> tables, TokenRanges ranges)
            throws IOException, InterruptedException {
        List<StreamRequest> requests = tables.stream()
                .map(table -> new StreamRequest(source.status().agent(), table.table(), ranges))
                .toList();
        String failure = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            UUID planId = UUID.randomUUID();
            target.agent().fetch(new AgentMessages.Fetch(operation, planId, order.operation(), requests));
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
