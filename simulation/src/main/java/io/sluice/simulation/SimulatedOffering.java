package io.sluice.simulation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.send.Offering;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.FilePiece;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.Offers;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/** Offers simulated SSTables, whole. Stateless. */
final class SimulatedOffering implements Offering {
    /**
     * What is pinned of a table.
     *
     * @param onClose gives it back
     */
    record Pin(TableRef table, List<SimulatedSSTable> pinned, Runnable onClose) implements PinnedTable {
        @Override
        public List<SSTable> sstables() {
            return new Unreadable(pinned);
        }

        @Override
        public void close() {
            onClose.run();
        }
    }

    @Override
    public Offers begin(Path sliceFolder) {
        List<OfferedSSTable> offers = new ArrayList<>();
        return new Offers() {
            @Override
            public void add(PinnedTable pinned, TokenRanges ranges) {
                for (SimulatedSSTable sstable : sstables(pinned)) {
                    Path data = sstable.directory.resolve(sstable.descriptor.fileName(Component.DATA));
                    long length = sstable.files.getOrDefault(Component.DATA, new byte[0]).length;
                    offers.add(new OfferedSSTable(
                            sstable.offer(offers.size()),
                            sstable.directory,
                            sstable.descriptor,
                            List.of(new FilePiece(data, 0, length))));
                }
            }

            @Override
            public List<OfferedSSTable> offers() {
                return offers;
            }
        };
    }

    @Override
    public long estimateBytes(PinnedTable pinned, TokenRanges ranges) {
        return sstables(pinned).stream()
                .mapToLong(SimulatedSSTable::lengthBytes)
                .sum();
    }

    /** SSTables of which none could be read as one; they find their way through whoever wraps a pin. */
    private static final class Unreadable extends AbstractList<SSTable> {
        private final List<SimulatedSSTable> real;

        Unreadable(List<SimulatedSSTable> real) {
            this.real = real;
        }

        @Override
        public SSTable get(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int size() {
            return 0;
        }
    }

    private static List<SimulatedSSTable> sstables(PinnedTable pinned) {
        return ((Unreadable) pinned.sstables()).real;
    }
}
