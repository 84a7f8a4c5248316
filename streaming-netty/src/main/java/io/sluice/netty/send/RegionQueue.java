package io.sluice.netty.send;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoop;
import io.sluice.netty.transport.Connection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.throttle.Throttle;
import io.sluice.streaming.transfer.FilePiece;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits to leave on one data connection. Extents leave in the order they came, each with its announcement in front
 * of it, cut into regions that are handed to the socket when the throttle lets them go: so a change of the rate counts
 * from the next region on. Confined to the mailbox.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes tell their end to a listener; scheduled sends do nothing else
final class RegionQueue {
    /** More than any receiver asks for that reads what it gets. */
    private static final int MAX_UNSENT_EXTENTS = 20_000;

    /** The longest region when a rate is set: short enough that the rate holds over any second. */
    private static final int THROTTLED_REGION_BYTES = 1 << 20;

    private final Connection connection;
    private final EventLoop mailbox;
    private final Throttle throttle;
    private final Consumer<Failure> onFailure;
    private final LongConsumer onSent;
    private final Queue<Region> waiting = new ArrayDeque<>();
    private boolean pausing;
    private int unsent;

    /** @param announced the extent that begins with this region; null in the middle of one */
    private record Region(@Nullable Extent announced, Path file, long offset, long length, boolean isLast) {}

    /**
     * @param onFailure may be called from any thread
     * @param onSent hears on the mailbox of bytes that have left
     */
    RegionQueue(
            Connection connection,
            EventLoop mailbox,
            Throttle throttle,
            Consumer<Failure> onFailure,
            LongConsumer onSent) {
        this.connection = connection;
        this.mailbox = mailbox;
        this.throttle = throttle;
        this.onFailure = onFailure;
        this.onSent = onSent;
    }

    Connection connection() {
        return connection;
    }

    /** Sends an extent, which lies in {@code pieces}, as soon as all before it have left. */
    void add(List<FilePiece> pieces, Extent extent) {
        if (++unsent > MAX_UNSENT_EXTENTS) {
            onFailure.accept(new Failure(
                    ErrorCode.PROTOCOL, "more than " + MAX_UNSENT_EXTENTS + " extents are asked for and not read"));
            connection.close();
            return;
        }
        long longest = throttle.isUnlimited() ? extent.lengthBytes() : THROTTLED_REGION_BYTES;
        @Nullable Extent announced = extent;
        for (int i = 0; i < pieces.size(); i++) {
            FilePiece piece = pieces.get(i);
            boolean isLastPiece = i == pieces.size() - 1;
            for (long at = 0; at < piece.lengthBytes(); at += longest) {
                long length = Math.min(longest, piece.lengthBytes() - at);
                boolean isLast = isLastPiece && at + length == piece.lengthBytes();
                waiting.add(new Region(announced, piece.file(), piece.offset() + at, length, isLast));
                announced = null;
            }
        }
        if (!pausing) {
            drain();
        }
    }

    private void left(Region region, boolean isSent) {
        if (region.isLast()) {
            unsent--;
        }
        if (isSent) {
            onSent.accept(region.length());
        }
    }

    private void drain() {
        while (!waiting.isEmpty() && connection.channel().isActive()) {
            Region next = waiting.remove();
            long pauseNanos = throttle.take(next.length(), System.nanoTime());
            if (pauseNanos > 0) {
                pausing = true;
                mailbox.schedule(() -> resume(next), pauseNanos, TimeUnit.NANOSECONDS);
                return;
            }
            send(next);
        }
    }

    private void resume(Region paid) {
        pausing = false;
        send(paid);
        drain();
    }

    private void send(Region region) {
        if (region.announced() != null) {
            connection.send(new Message.Stream(region.announced()));
        }
        connection
                .channel()
                .writeAndFlush(new DefaultFileRegion(region.file().toFile(), region.offset(), region.length()))
                .addListener(sent -> {
                    mailbox.execute(() -> left(region, sent.isSuccess()));
                    if (!sent.isSuccess() && connection.channel().isActive()) {
                        onFailure.accept(new Failure(
                                ErrorCode.SOURCE_CHANGED,
                                region.file().getFileName() + " at offset " + region.offset() + ": "
                                        + sent.cause().getMessage()));
                    }
                });
    }
}
