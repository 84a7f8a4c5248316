package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.ReceivedSSTableCheck;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Checks simulated SSTables that were received, and makes SSTables from rows. */
final class SimulatedSSTableCheck implements ReceivedSSTableCheck {
    private final SimulatedNode node;

    SimulatedSSTableCheck(SimulatedNode node) {
        this.node = node;
    }

    /** There are no levels in the simulation. */
    @Override
    public Optional<Bytes> check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        List<SimulatedRow> rows =
                SimulatedSSTable.rows(node.disk.content(directory.resolve(descriptor.fileName(Component.DATA))));
        boolean isOfRows = offer.choice().mode() == TransferMode.ROWS;
        if (!isOfRows
                && (rows.get(0).token() != offer.first().value()
                        || rows.get(rows.size() - 1).token() != offer.last().value())) {
            throw new StreamException(ErrorCode.PROTOCOL, offer.source() + ": has tokens that were not offered");
        }
        boolean isInside = rows.stream().allMatch(row -> ranges.contains(new Token(row.token())));
        if (!isInside) {
            throw new StreamException(ErrorCode.OUT_OF_RANGE, offer.source() + ": more than was requested");
        }
        return Optional.empty();
    }

    @Override
    public boolean makeSSTable(Disk disk, Path part, Path directory, Descriptor descriptor, TokenRanges ranges)
            throws IOException {
        List<SimulatedRow> rows = SimulatedSSTable.rows(disk.read(part, MAX_BYTES)).stream()
                .filter(row -> ranges.contains(new Token(row.token())))
                .toList();
        if (rows.isEmpty()) {
            return false;
        }
        SimulatedSSTable made = SimulatedSSTable.ofRows(directory, descriptor, NO_TABLE, rows);
        for (Component component : made.files.keySet()) {
            disk.writeDurably(made.path(component), made.bytes(component));
        }
        disk.writeDurably(made.path(Component.TOC), new byte[] {1});
        return true;
    }

    private static final int MAX_BYTES = 1 << 20;
    private static final UUID NO_TABLE = new UUID(0, 0);
}
