package io.sluice.harness.scenario;

import io.sluice.harness.audit.LedgerOfFiles;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.fault.DataFiles;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.fault.SmallDisks;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Makes or finds the data of a run, and gives each node its own before it starts. Not thread-safe. */
final class DataPlacement {
    /** What streaming keeps back for the database (256 MiB), and a little more. */
    private static final long SPARE_BYTES = StagingLimits.DEFAULTS.headroomBytes() + (64L << 20);

    private final ScenarioOptions options;
    private final WorkDirectory work;
    private final RunListeners listeners;
    private final SmallDisks disks;

    DataPlacement(ScenarioOptions options, WorkDirectory work, RunListeners listeners, SmallDisks disks) {
        this.disks = disks;
        this.options = options;
        this.work = work;
        this.listeners = listeners;
    }

    /**
     * Checks that there will be data, room for it, and a node for each small disk; makes and opens nothing.
     *
     * @throws ScenarioException of kind {@link Kind#WRONG_USAGE} if not
     */
    void requirePossible(Ring ring) throws IOException, ScenarioException {
        if (options.dataset() instanceof Dataset.Existing existing) {
            requireSSTables(existing.directory());
        } else if (options.dataset() instanceof Dataset.Generated wanted
                && !generated(wanted, ring).isThere()) {
            requireSpace(wanted.bytes());
        }
        for (Fault fault : options.faults().faults()) {
            if (fault.fault() == Fault.Kind.DISK_FULL) {
                nodeOfDisk(fault);
            }
        }
    }

    private static void requireSSTables(Path data) throws IOException, ScenarioException {
        for (TableDirectory table : TableDirectory.find(data)) {
            if (!table.descriptors().isEmpty()) {
                return;
            }
        }
        throw new ScenarioException(
                Kind.WRONG_USAGE,
                data + ": no SSTables found (expected: <keyspace>/<table>-<id>/ folders with SSTables in them)");
    }

    /** Opens the data, which is generated if need be. */
    List<TableFiles> open(Ring ring) throws IOException, ScenarioException {
        requirePossible(ring);
        return TableFiles.openAll(data(ring));
    }

    /** What was written to each table, before nodes get anything of it; read from its files unless it was generated. */
    Map<TableRef, Path> ledgers(List<TableFiles> tables) throws IOException {
        Map<TableRef, Path> ledgers = new LinkedHashMap<>();
        for (TableFiles table : tables) {
            Path generated = table.directory().resolveSibling("..").normalize().resolve("ledger");
            if (options.dataset() instanceof Dataset.Generated) {
                ledgers.put(table.table(), generated);
            } else {
                Path ledger =
                        work.root().resolve("ledger").resolve(table.directory().getFileName());
                writeLedger(table, ledger);
                ledgers.put(table.table(), ledger);
            }
        }
        return ledgers;
    }

    @SuppressWarnings("try") // it is shown meanwhile
    private static void writeLedger(TableFiles table, Path ledger) throws IOException {
        long total =
                table.sstables().stream().mapToLong(SSTable::dataLengthBytes).sum();
        AtomicLong done = new AtomicLong();
        try (WorkProgress shown = WorkProgress.of(() -> Step.ofBytes("reading " + table.table(), done.get(), total))) {
            LedgerOfFiles.write(table.directory(), ledger, done::addAndGet);
        }
    }

    /** Gives each node what it owns of {@code tables}, or less where the operation is about that. */
    @SuppressWarnings("try") // it is shown meanwhile
    List<TableRef> give(List<TableFiles> tables, Ring ring)
            throws IOException, ScenarioException, InterruptedException {
        for (int number = 1; number <= 2 * Shape.MAX_NODES; number++) {
            work.clear("node" + number);
        }
        makeDirectories();
        mountSmallDisks(tables);
        List<TableRef> refs = tables.stream().map(TableFiles::table).toList();
        boolean isRebuild = options.operation() == Operation.REBUILD;
        List<Node> empty = isRebuild ? Changes.rebuilt(options, ring.nodes()) : List.of();
        Distribution.link(tables, ring, work.root(), empty);
        if (options.dataset() instanceof Dataset.Generated generated && generated.isSizeTiered()) {
            listeners.print("Compacting what each node holds, by size");
            AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("compacting by size", 0, 0));
            try (WorkProgress shown = WorkProgress.of(step::get)) {
                Distribution.compact(ring.nodes(), tables, work.root(), step::set);
            }
        }
        if (options.operation() == Operation.REPAIR) {
            Node last = ring.nodes().get(ring.nodes().size() - 1);
            listeners.print("Taking " + Distribution.damage(tables, last, work.root()) + " SSTables away from " + last);
        }
        if (options.faults().faults().stream().anyMatch(fault -> fault.fault() == Fault.Kind.CORRUPT)) {
            for (Node node : ring.nodes()) {
                for (Path data : NodeHome.of(work.root(), node).dataDirectories()) {
                    DataFiles.unlink(data);
                }
            }
        }
        return refs;
    }

    /** Of all nodes that there may be in the end: those that are there when a node starts are its own. */
    private void makeDirectories() throws IOException {
        if (options.shape().dataDirectories() == 1) {
            return; // each makes its own
        }
        for (int number = 1; number <= options.shape().nodes() + options.count(); number++) {
            home("node" + number).makeData(options.shape().dataDirectories());
        }
    }

    private NodeHome home(String node) {
        return new NodeHome(work.root().resolve(node));
    }

    private void mountSmallDisks(List<TableFiles> tables) throws IOException, ScenarioException, InterruptedException {
        long bytes = tables.stream().mapToLong(TableFiles::bytesOnDisk).sum();
        for (Fault fault : options.faults().faults()) {
            if (fault.fault() == Fault.Kind.DISK_LOST && !SmallDisk.isPossible()) {
                throw new ScenarioException(
                        Kind.REFUSED, fault + ": needs a mount, which only root may make here (skipped)");
            }
            if (fault.fault() == Fault.Kind.DISK_FULL) {
                if (!SmallDisk.isPossible()) {
                    throw new ScenarioException(
                            Kind.REFUSED, fault + ": needs a small disk, which only root may mount here (skipped)");
                }
                String name = nodeOfDisk(fault);
                if (!disks.has(name)) {
                    List<Path> data = home(name).dataDirectories();
                    disks.mount(name, data.get(data.size() - 1), 2 * bytes + SPARE_BYTES);
                    listeners.print("Mounted a disk of " + ByteFormat.text(2 * bytes + SPARE_BYTES) + " for " + name);
                }
            }
        }
    }

    /** A disk has to be there before its node starts, so who will receive must be known by then. */
    private String nodeOfDisk(Fault fault) throws ScenarioException {
        int nodes = options.shape().nodes();
        if (!fault.node().equals(Fault.RECEIVER) && !fault.node().equals(Fault.SOURCE)) {
            return fault.node();
        }
        boolean isNew = options.operation() == Operation.REPLACE || options.operation() == Operation.BOOTSTRAP;
        boolean isLast = options.operation() == Operation.REBUILD
                || options.operation() == Operation.MOVE
                || options.operation() == Operation.REPAIR
                || options.operation() == Operation.TABLET_MIGRATION;
        if (fault.node().equals(Fault.SOURCE) || !(isNew || isLast)) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE, fault + ": which one that is, is known too late (expected: the name of a node)");
        }
        return "node" + (isNew ? nodes + 1 : nodes);
    }

    private GeneratedData generated(Dataset.Generated wanted, Ring ring) {
        return wanted.isSizeTiered()
                ? GeneratedData.overlapping(work, wanted.bytes())
                : GeneratedData.of(work, wanted.bytes(), ring.ranges());
    }

    private Path data(Ring ring) throws IOException {
        if (options.dataset() instanceof Dataset.Existing existing) {
            return existing.directory();
        }
        Dataset.Generated wanted = (Dataset.Generated) options.dataset();
        GeneratedData generated = generated(wanted, ring);
        if (!generated.isThere()) {
            listeners.print("Generating " + ByteFormat.text(wanted.bytes()) + " (kept for later runs)");
            generated.generate();
        }
        return generated.directory();
    }

    /** The data, and what is received of it; the members only link to it. */
    private void requireSpace(long dataBytes) throws IOException, ScenarioException {
        Shape shape = options.shape();
        long needed = dataBytes + dataBytes / shape.nodes() * shape.replicationFactor() * options.count();
        long free = Files.getFileStore(work.root()).getUsableSpace();
        if (needed > free) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "--size " + ByteFormat.text(dataBytes) + ": needs about " + ByteFormat.text(needed) + " in "
                            + work.root() + ", where " + ByteFormat.text(free)
                            + " are free (choose less, or another --work-dir)");
        }
    }
}
