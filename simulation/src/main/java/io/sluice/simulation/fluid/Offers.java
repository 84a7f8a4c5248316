package io.sluice.simulation.fluid;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.plan.DataSizes;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Node;
import java.util.ArrayList;
import java.util.List;

/** What sources offer: as many bytes as they hold of what is asked for, in SSTables of one size. Not thread-safe. */
final class Offers {
    private static final int SMALL_BYTES = Zeros.STEP_BYTES;

    final Zeros zeros = new Zeros();
    private final DataSizes sizes;
    private final long sstableBytes;

    /** @param sstableBytes at most so many bytes per SSTable; more than 256 KiB */
    Offers(DataSizes sizes, long sstableBytes) {
        this.sizes = sizes;
        this.sstableBytes = roundUp(sstableBytes);
    }

    List<SSTableOffer> of(Node source, List<StreamRequest> requests) {
        List<SSTableOffer> offers = new ArrayList<>();
        for (StreamRequest request : requests) {
            long left = 0;
            for (TokenRange range : request.ranges().ranges()) {
                left += bytes(source, request, range);
            }
            while (left > 0) {
                long length = roundUp(Math.min(left, sstableBytes));
                offers.add(offer(offers.size(), request, Math.max(length, 3L * SMALL_BYTES)));
                left -= length;
            }
        }
        return offers;
    }

    private long bytes(Node source, StreamRequest request, TokenRange range) {
        long first = range.start().value() + 1;
        long last = range.end().value() == Long.MIN_VALUE
                ? Long.MAX_VALUE
                : range.end().value();
        if (first <= last) {
            return sizes.bytes(request.table(), source, first, last);
        }
        return sizes.bytes(request.table(), source, first, Long.MAX_VALUE)
                + sizes.bytes(request.table(), source, Long.MIN_VALUE + 1, last);
    }

    private SSTableOffer offer(int number, StreamRequest request, long lengthBytes) {
        TokenRange range = request.ranges().ranges().get(0);
        Token token = range.end().value() == Long.MIN_VALUE ? new Token(Long.MAX_VALUE) : range.end();
        return new SSTableOffer(
                number,
                request.table().id(),
                new Descriptor(Version.NB, new SSTableId.Sequence(number + 1)),
                token,
                token,
                new ModeChoice(TransferMode.WHOLE, "all of its partitions are wanted"),
                List.of(
                        manifest(Component.DATA, lengthBytes - 2L * SMALL_BYTES),
                        manifest(Component.INDEX, SMALL_BYTES),
                        manifest(Component.STATISTICS, SMALL_BYTES)));
    }

    private ComponentManifest manifest(Component component, long lengthBytes) {
        return new ComponentManifest(component, lengthBytes, zeros.crc32(lengthBytes));
    }

    private static long roundUp(long bytes) {
        return (bytes + Zeros.STEP_BYTES - 1) / Zeros.STEP_BYTES * Zeros.STEP_BYTES;
    }
}
