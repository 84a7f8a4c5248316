package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.Offers;
import io.sluice.streaming.transfer.SourceRegion;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;

/**
 * Offers simulated SSTables: whole if all of their rows are wanted, otherwise as slices, whose files except the rows
 * are in the folder of the session, or as rows.
 */
final class SimulatedOfferFactory implements OfferFactory {
    private static final long HEAD_BYTES = 64;
    /** At most. */
    private static final long SLICE_BYTES = 5_000;

    private final SimulatedNode node;
    private final SourceDatabase source;

    SimulatedOfferFactory(SimulatedNode node, SourceDatabase source) {
        this.node = node;
        this.source = source;
    }

    /**
     * The pinned SSTables of a table.
     *
     * @param name the one file that it names, which nobody could open: {@link SourceDatabase#pinned} knows it by that
     * @param isLie whether everything is offered, whatever is wanted
     * @param onClose releases it
     */
    record Pin(Path name, TableRef table, List<SimulatedSSTable> real, boolean isLie, Runnable onClose)
            implements PinnedTable {
        @Override
        public List<Path> sstables() {
            return List.of(name);
        }

        @Override
        public void close() {
            onClose.run();
        }
    }

    @Override
    public long aheadBytes() {
        return node.world.seams.aheadBytes(node.world.aheadBytes);
    }

    @Override
    public Offers begin(Path sliceFolder, ReceiverFeatures receiver, Offers.Progress progress) {
        return new Offered(sliceFolder, progress);
    }

    private final class Offered implements Offers {
        private final Path folder;
        private final List<OfferedSSTable> offers = new ArrayList<>();
        private final Offers.Progress progress;
        private final Queue<Chosen> chosen = new ArrayDeque<>();
        private int folders;

        Offered(Path folder, Offers.Progress progress) {
            this.folder = folder;
            this.progress = progress;
        }

        /** An offer that is not prepared yet. */
        private record Chosen(OpenedTable pinned, long temporaryBytes, Work work) {}

        /** Prepares an offer. */
        private interface Work {
            OfferedSSTable run() throws IOException;
        }

        @Override
        public int choose(OpenedTable pinned, TokenRanges ranges) {
            chosen.clear();
            Pin all = all(pinned);
            for (SimulatedSSTable sstable : all.real()) {
                List<List<SimulatedRow>> runs = sstable.runs(ranges);
                if (all.isLie() || (runs.size() == 1 && runs.get(0).size() == sstable.rows.size())) {
                    chosen.add(new Chosen(pinned, 0, () -> whole(sstable)));
                } else if (sstable.travelsAsRows() && !runs.isEmpty()) {
                    chosen.add(new Chosen(pinned, HEAD_BYTES, () -> rows(sstable, runs)));
                } else {
                    runs.forEach(run -> chosen.add(new Chosen(pinned, SLICE_BYTES, () -> slice(sstable, run))));
                }
            }
            return chosen.size();
        }

        @Override
        public boolean prepare() throws IOException {
            for (Chosen next = chosen.peek(); next != null; next = chosen.peek()) {
                progress.step();
                if (!progress.hasRoom(next.temporaryBytes())) {
                    return false;
                }
                chosen.remove();
                all(next.pinned()); // which may take its time
                OfferedSSTable sstable = next.work().run();
                offers.add(sstable);
                progress.offered(sstable, next.temporaryBytes());
            }
            return true;
        }

        private OfferedSSTable whole(SimulatedSSTable sstable) {
            Path data = sstable.path(Component.DATA);
            return new OfferedSSTable(
                    sstable.offer(offers.size()),
                    sstable.directory,
                    sstable.descriptor,
                    List.of(new SourceRegion(data, 0, sstable.bytes(Component.DATA).length)));
        }

        /** Sends the rows from the source file. */
        private OfferedSSTable slice(SimulatedSSTable sstable, List<SimulatedRow> run) throws IOException {
            Path own = folder.resolve(String.valueOf(folders++));
            SimulatedSSTable slice = sstable.part(own, run);
            for (Component component : slice.files.keySet()) {
                if (component != Component.DATA) {
                    write(slice.path(component), slice.bytes(component));
                }
            }
            List<SourceRegion> data = new ArrayList<>();
            data.add(write(own.resolve("head"), SimulatedSSTable.head(run.size())));
            data.add(sstable.region(run));
            if (slice.tail().length > 0) {
                data.add(write(own.resolve("tail"), slice.tail()));
            }
            SSTableOffer offer = slice.offer(offers.size(), TransferMode.SLICE);
            node.world.oracle.made(slice);
            source.derived(sstable, offer.components());
            node.world.invariants.prepared(node, own, offer);
            return new OfferedSSTable(offer, own, slice.descriptor, data);
        }

        /** Adds a neighbour that is not wanted, as chunks do. */
        private OfferedSSTable rows(SimulatedSSTable sstable, List<List<SimulatedRow>> runs) throws IOException {
            List<SimulatedRow> some = new ArrayList<>();
            runs.forEach(some::addAll);
            int next = sstable.rows.indexOf(some.get(some.size() - 1)) + 1;
            List<SourceRegion> pieces = new ArrayList<>();
            runs.forEach(run -> pieces.add(sstable.region(run)));
            if (next < sstable.rows.size()) {
                some.add(sstable.rows.get(next));
                pieces.add(sstable.region(List.of(sstable.rows.get(next))));
            }
            pieces.add(0, write(folder.resolve(folders++ + "-head"), SimulatedSSTable.head(some.size())));
            byte[] part = SimulatedSSTable.rowBytes(some);
            SSTableOffer offer = sstable.offerRows(offers.size(), part);
            node.world.oracle.madeRows(offer, some);
            source.derived(sstable, offer.components());
            return new OfferedSSTable(offer, sstable.directory, sstable.descriptor, pieces);
        }

        private SourceRegion write(Path file, byte[] bytes) throws IOException {
            StagingArea.Scratch staging =
                    node.staging().orElseThrow().scratch(Objects.requireNonNull(folder.getParent()));
            staging.reserve(bytes.length);
            try {
                node.disk.createDirectories(Objects.requireNonNull(file.getParent()));
                try (DiskFile made = node.disk.create(file)) {
                    made.writeFully(ByteBuffer.wrap(bytes), 0);
                }
            } finally {
                staging.release(bytes.length);
            }
            return new SourceRegion(file, 0, bytes.length);
        }

        @Override
        public List<OfferedSSTable> offers() {
            return offers;
        }
    }

    @Override
    public long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException {
        return all(pinned).real().stream()
                .mapToLong(sstable -> sstable.runs(ranges).stream()
                        .mapToLong(run -> run.size() * sstable.lengthBytes() / sstable.rows.size())
                        .sum())
                .sum();
    }

    private Pin all(OpenedTable opened) {
        return source.pinned(opened.pinned().sstables().get(0));
    }
}
