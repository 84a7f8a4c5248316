package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.harness.replace.Questions.Asked;
import io.sluice.harness.replace.SourceFetches.Wanted;
import io.sluice.harness.report.ByteFormat;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings keyspaces: fetches from the sources, from several at the same time where their ranges differ, compares the
 * digests of what landed with those of what was pinned, and imports a table when it is there from all of its sources.
 * Not thread-safe.
 */
final class Transfers {
    /** Bounds what the node that joins has in memory, and its connections. */
    private static final int SOURCES_AT_ONCE = 8;

    private final UUID coordinator;
    private final Member target;
    private final Sharing sharing;
    private final PinnedDigests digests;
    private final LandedVerification verification;
    private final SourceFetches fetches;
    private final JoinProgress progress;
    /** Of those that bring ranges of a table which others bring, too: a node fetches a range from one at a time. */
    private final Lock sameRanges = new ReentrantLock();

    /**
     * Brings nothing yet.
     *
     * @param operation of the pins
     * @param coordinator that has begun at {@code target}
     */
    Transfers(JoinOrder order, UUID operation, UUID coordinator, Member target, JoinProgress progress) {
        this.coordinator = coordinator;
        this.target = target;
        this.digests = new PinnedDigests(operation, progress);
        this.sharing = new Sharing(order, digests, progress);
        this.verification = new LandedVerification(digests, target, progress);
        this.fetches = new SourceFetches(order, operation, coordinator, target, progress);
        this.progress = progress;
    }

    /** Whether the tables of a keyspace may be imported still. */
    interface Check {
        /** Why not; empty if they may. */
        Optional<String> objection() throws IOException;
    }

    /**
     * What was brought of a keyspace.
     *
     * @param transfers that are imported
     * @param objection why it is not complete; empty if all of it is in the tables of the node
     */
    record Brought(List<JoinReport.Transfer> transfers, Optional<String> objection) {
        Brought {
            transfers = List.copyOf(transfers);
        }
    }

    /**
     * Brings all tables of a keyspace.
     *
     * @param check asked before anything is fetched, since that would be for nothing, before each import, and at the
     *     end
     */
    Brought bring(JoinPlan plan, Map<Member, List<Pinned>> pinned, Check check)
            throws IOException, InterruptedException {
        Optional<String> objection = check.objection();
        if (objection.isPresent()) {
            return new Brought(List.of(), objection);
        }
        List<Share> shares = sharing.shares(plan, pinned);
        fetches.adopt(shares.stream().map(Share::wanted).toList());
        List<JoinReport.Transfer> transfers = new ArrayList<>();
        Set<TableRef> done = importedBefore(shares, transfers);
        Map<TableRef, List<Proof>> landed = new LinkedHashMap<>();
        for (Map<TableRef, Proof> proofs : Questions.all(
                bySource(shares, done).stream()
                        .<Questions.Question<Map<TableRef, Proof>>>map(its -> () -> bring(its, shares))
                        .toList(),
                SOURCES_AT_ONCE)) {
            proofs.forEach((table, proof) ->
                    landed.computeIfAbsent(table, key -> new ArrayList<>()).add(proof));
        }
        for (Map.Entry<TableRef, List<Proof>> table : landed.entrySet()) {
            objection = check.objection();
            if (objection.isPresent()) {
                return new Brought(transfers, objection);
            }
            importAll(table.getKey(), table.getValue());
            table.getValue().forEach(proof -> transfers.add(JoinReport.Transfer.of(table.getKey(), proof)));
        }
        return new Brought(transfers, check.objection());
    }

    /** Tables that an earlier run has imported from each source that sends some of it: from all, or it is fetched. */
    private Set<TableRef> importedBefore(List<Share> shares, List<JoinReport.Transfer> transfers) throws IOException {
        Map<TableRef, List<Proof>> imported = new LinkedHashMap<>();
        Set<TableRef> missing = new HashSet<>();
        for (Share share : shares) {
            Map<TableRef, Proof> its = fetches.imported(share.wanted());
            for (Pinned table : share.pinned()) {
                if (its.containsKey(table.table())) {
                    imported.computeIfAbsent(table.table(), key -> new ArrayList<>())
                            .add(its.get(table.table()));
                    progress.landed(
                            share.source(),
                            table.table(),
                            its.get(table.table()).landedBytes());
                } else {
                    missing.add(table.table());
                }
            }
        }
        imported.keySet().removeAll(missing);
        imported.forEach((table, proofs) -> {
            proofs.forEach(proof -> transfers.add(JoinReport.Transfer.of(table, proof)));
            progress.imported(table);
            progress.say(table + ": imported before");
        });
        return Set.copyOf(imported.keySet());
    }

    /** What each source has to send still. */
    private static Collection<List<Share>> bySource(List<Share> shares, Set<TableRef> done) {
        Map<String, List<Share>> bySource = new LinkedHashMap<>();
        for (Share share : shares) {
            Share missing = share.but(done);
            if (!missing.pinned().isEmpty()) {
                bySource.computeIfAbsent(share.source().endpoint(), key -> new ArrayList<>())
                        .add(missing);
            }
        }
        return bySource.values();
    }

    /** All that a source sends: a table is in one of its shares. */
    private Map<TableRef, Proof> bring(List<Share> ofSource, List<Share> all) throws IOException, InterruptedException {
        Map<TableRef, Proof> proofs = new LinkedHashMap<>();
        for (Share share : ofSource) {
            proofs.putAll(bring(share, all.stream().anyMatch(share::overlaps)));
        }
        return proofs;
    }

    private Map<TableRef, Proof> bring(Share share, boolean overlaps) throws IOException, InterruptedException {
        Wanted wanted = share.wanted();
        Map<TableRef, UUID> kept = fetches.kept(wanted);
        Map<TableRef, Proof> proofs = new LinkedHashMap<>();
        for (Pinned table : share.pinned()) {
            if (kept.containsKey(table.table())) {
                keptProof(share, kept.get(table.table()), table).ifPresent(proof -> proofs.put(table.table(), proof));
            }
        }
        kept.keySet().retainAll(proofs.keySet());
        try (Questions reading = new Questions(1)) { // the source reads what it has pinned while it is fetched
            Map<Pinned, Asked<StoredDigests>> theirs = new LinkedHashMap<>();
            share.pinned().stream()
                    .filter(table -> !proofs.containsKey(table.table()))
                    .forEach(table -> theirs.put(table, reading.ask(() -> stored(share, table))));
            Map<TableRef, UUID> plans = overlaps ? fetchAlone(wanted, kept) : fetches.fetch(wanted, kept);
            for (Map.Entry<Pinned, Asked<StoredDigests>> table : theirs.entrySet()) {
                TableRef its = table.getKey().table();
                progress.waitsFor("digests of " + its + " at " + share.source());
                StoredDigests expected = table.getValue().answer();
                UUID plan = Objects.requireNonNull(plans.get(its));
                proofs.put(its, verification.verify(share, plan, table.getKey(), expected));
            }
        }
        return proofs;
    }

    private Map<TableRef, UUID> fetchAlone(Wanted wanted, Map<TableRef, UUID> kept)
            throws IOException, InterruptedException {
        sameRanges.lockInterruptibly();
        try {
            return fetches.fetch(wanted, kept);
        } finally {
            sameRanges.unlock();
        }
    }

    /** Of what landed before; empty if it is not what is pinned now, as when a snapshot was taken anew meanwhile. */
    private Optional<Proof> keptProof(Share share, UUID planId, Pinned table) throws IOException {
        try {
            return Optional.of(verification.verify(share, planId, table, stored(share, table)));
        } catch (LandedVerification.DifferentException e) {
            progress.say(e.getMessage() + "; it landed before, and is fetched again");
            return Optional.empty();
        }
    }

    private StoredDigests stored(Share share, Pinned table) throws IOException {
        return digests.stored(share.source(), table, share.ranges().ranges());
    }

    private void importAll(TableRef table, List<Proof> proofs) throws IOException {
        Imported expected = new Imported(
                proofs.stream().mapToInt(Proof::landedSSTables).sum(),
                proofs.stream().mapToLong(Proof::landedBytes).sum());
        if (expected.sstables() > 0) { // else no source has anything in these ranges
            progress.waitsFor("the import of " + table + " at " + target);
            Imported imported = target.agent().importLanded(new AgentMessages.Import(coordinator, table, proofs));
            if (!imported.equals(expected)) {
                throw new IOException(table + ": " + target + " has imported " + imported.sstables() + " SSTables of "
                        + imported.bytes() + " bytes (expected: " + expected.sstables() + " of " + expected.bytes()
                        + ", as verified; run the command again: its keyspace is not marked)");
            }
        }
        progress.imported(table);
        progress.say(
                table + ": " + expected.sstables() + " SSTables, " + ByteFormat.text(expected.bytes()) + ", imported");
    }
}
