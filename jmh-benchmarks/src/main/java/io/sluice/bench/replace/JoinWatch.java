package io.sluice.bench.replace;

import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the log of a node that joins, as it grows. Not thread-safe. */
final class JoinWatch {
    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final long POLL_MILLIS = 20;
    private static final int PIECE_BYTES = 1 << 16;

    private final LocalNode node;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    private final StringBuilder unread = new StringBuilder();
    private final Map<JoinPhase, Long> seenNanos = new EnumMap<>(JoinPhase.class);
    private long position;

    JoinWatch(LocalNode node) {
        this.node = node;
    }

    /**
     * Waits until the node is at {@code phase}, or was.
     *
     * @return when its log was seen to say so, some milliseconds later, in {@link System#nanoTime}
     * @throws IOException if it ends or fails before that
     */
    long await(JoinPhase phase) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            read();
            Long seen = seenNanos.get(phase);
            if (seen != null) {
                return seen;
            }
            if (seenNanos.containsKey(JoinPhase.FAILED) || node.process().isEmpty()) {
                node.awaitReady(); // says why, if it has ended
                throw new IOException(
                        "node " + node + " did not become " + phase + ": its streams failed (log: " + node.log() + ")");
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("node " + node + " did not become " + phase + " within " + TIMEOUT.toMinutes()
                        + " minutes (log: " + node.log() + ")");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * Waits until the node asks for data. The memory is prepared while it waits until its ring knows it: what was in
     * the page cache when the node was started may be gone, a minute later. It was prepared then, too, so that little
     * is left to do in this time.
     *
     * @return when it was seen to ask
     * @throws IOException if it asked before the memory was prepared, so that a time from then on would be too short
     */
    long awaitAsking(Arena arena, Consumer<String> told) throws IOException, InterruptedException {
        await(JoinPhase.WAITS_FOR_RING);
        told.accept("it waits until its ring knows it");
        arena.prepareMemory();
        read();
        if (seenNanos.containsKey(JoinPhase.ASKS)) {
            throw new IOException("node " + node + " asked for data before the memory of the machine was prepared;"
                    + " nothing is compared (the machine is busy with something else?)");
        }
        return await(JoinPhase.ASKS);
    }

    private void read() throws IOException {
        if (!Files.exists(node.log())) {
            return;
        }
        try (FileChannel log = FileChannel.open(node.log(), StandardOpenOption.READ)) {
            for (int n = log.read(piece.clear(), position); n > 0; n = log.read(piece.clear(), position)) {
                position += n;
                unread.append(StandardCharsets.ISO_8859_1.decode(piece.flip()));
            }
        }
        long now = System.nanoTime();
        for (int end = unread.indexOf("\n"); end >= 0; end = unread.indexOf("\n")) {
            Optional<JoinPhase> phase = JoinPhase.in(unread.substring(0, end), LocalOptions.host(node.number()));
            phase.ifPresent(reached -> seenNanos.putIfAbsent(reached, now));
            unread.delete(0, end + 1);
        }
    }
}
