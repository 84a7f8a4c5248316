package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A component of an attached index, of which the bytes are read and not kept, over a real socket. */
class SkippedComponentTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LENGTH = 3 << 20;
    private static final FileHeader FILE = new FileHeader(
            FileConnectionTest.FILE.route(),
            "nb",
            "big",
            0,
            List.of(),
            Optional.empty(),
            0,
            Bytes.hex("00"),
            Optional.of(new FileHeader.Whole(List.of(new FileHeader.Entry("SAI+aa.db", LENGTH)), Bytes.hex("00"))));

    @TempDir
    private Path folder = Path.of("");

    private final ExecutorService checks = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() {
        checks.shutdownNow();
    }

    /** A session without progress for ten minutes fails: a large index takes longer than that. */
    @Test
    void its_bytes_are_progress_while_they_arrive() throws Exception {
        BlockingQueue<Long> progress = new LinkedBlockingQueue<>();
        CompletableFuture<IncomingLink> ended = new CompletableFuture<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> {
                            receive(link, progress);
                            ended.complete(link);
                        },
                        (peer, reason) -> ended.completeExceptionally(new IOException(reason)));
                OutgoingLink sender = links.connect(acceptor.address(), Optional.empty())) {
            sender.send(Bytes.wrap(new byte[LENGTH / 3]));
            assertThat(progress.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("progress before the rest is sent")
                    .isNotNull();

            sender.send(Bytes.wrap(new byte[LENGTH - LENGTH / 3]));
            ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void receive(IncomingLink link, BlockingQueue<Long> progress) {
        try {
            new ReceivedTable(folder, TokenRanges.FULL, checks, checks).receive(FILE, link, progress::add);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
