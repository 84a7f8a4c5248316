package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.send.FileSender;
import io.sluice.cassandra.send.OutgoingFile;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A part of an SSTable, which is rewritten when all its bytes have arrived, over a real socket. */
class RewrittenPartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path work = Path.of("");

    private final ExecutorService checks = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() {
        checks.shutdownNow();
    }

    private SSTable generated() throws IOException {
        Path folder = Files.createDirectories(work.resolve("shop").resolve("users-00000000000000010000000000000002"));
        new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(folder, TokenRanges.FULL.ranges(), 1, 1);
        TableDirectory table = TableDirectory.find(folder).get(0);
        return SSTable.open(folder, table.descriptors().get(0));
    }

    /** A session without progress for ten minutes fails: rewriting a large part takes longer than that. */
    @Test
    void is_progress_while_it_is_rewritten() throws Exception {
        SSTable sstable = generated();
        OutgoingFile part = OutgoingFile.of(
                new SSTableTransfer.Part(sstable, TokenRanges.FULL, 1), FileConnectionTest.FILE.route());
        List<Long> progress = new CopyOnWriteArrayList<>();
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
            new FileSender(sender, new SharedThrottle(0), sent -> {}).send(part);
            ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        assertThat(progress).as("each partition").endsWith(0L, 0L, 0L);
    }

    private void receive(IncomingLink link, List<Long> progress) {
        try {
            Path folder = Files.createDirectories(work.resolve("received"));
            new ReceivedTable(folder, TokenRanges.FULL, checks, checks)
                    .receive((FileHeader) link.read(), link, progress::add);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
