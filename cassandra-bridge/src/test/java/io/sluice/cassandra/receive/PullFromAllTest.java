package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.FileSender;
import io.sluice.cassandra.send.OutgoingFile;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table from all nodes, over real sockets: Sluice plays the nodes. */
class PullFromAllTest {
    private static final UUID ID = new UUID(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    @TempDir
    private Path folder = Path.of("");

    private Descriptor written = new Descriptor(Version.NB, new SSTableId.Sequence(1));

    @BeforeEach
    void generate() throws IOException {
        Files.createDirectories(source());
        written = new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(source(), 1)
                .get(0);
    }

    private Path source() {
        return folder.resolve("source");
    }

    private static CassandraNode node(int number, InetSocketAddress address) {
        return new CassandraNode(new UUID(2, number), address, "dc1", "5.0.9");
    }

    private PullFromAll pull(InetSocketAddress first, InetSocketAddress second, CassandraLinks links)
            throws IOException {
        var owned = Map.of(node(1, first), TokenRanges.FULL, node(2, second), TokenRanges.FULL);
        var view = new ClusterView("c", "shop", "v", owned, List.of(), Map.of());
        return new PullFromAll(
                new PullFromAll.Order(view, "users", ID, folder.resolve("shop").resolve("users-1"), PATIENCE), links);
    }

    /** A node that has the SSTable with the components that it has when it is asked. */
    private Links.OpenPort serve(CassandraLinks links) throws IOException {
        return links.listen(LOOPBACK, control -> give(control, links), (peer, reason) -> {});
    }

    private void give(IncomingLink control, CassandraLinks links) {
        try {
            if (!(control.read() instanceof StreamMessage.StreamInit init)) {
                throw new AssertionError("no STREAM_INIT");
            }
            control.read(); // PREPARE_SYN
            List<OutgoingFile> files = new ArrayList<>();
            for (SSTableTransfer transfer : transfers()) {
                var route = new FileHeader.Route(
                        ID, LOOPBACK, init.planId(), true, init.sessionIndex(), files.size(), 0, Optional.empty());
                files.add(OutgoingFile.of(transfer, route));
            }
            int counted = files.stream()
                    .mapToInt(file -> file.header().countedFiles())
                    .sum();
            long bytes = files.stream().mapToLong(OutgoingFile::lengthBytes).sum();
            control.send(new StreamMessage.PrepareSynAck(List.of(new StreamMessage.Summary(ID, counted, bytes))));
            control.read(); // PREPARE_ACK
            try (OutgoingLink link = links.connect(init.from(), Optional.of(LOOPBACK))) {
                FileSender sender = new FileSender(link, new SharedThrottle(0), sent -> {});
                for (OutgoingFile file : files) {
                    sender.send(file);
                    control.read(); // RECEIVED
                }
                control.send(new StreamMessage.Complete());
                link.read(); // until the other end closes
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<SSTableTransfer> transfers() throws IOException {
        var table = new LiveTable("shop", "users", ID, "", List.of());
        var receiver = new Receiver(node(3, LOOPBACK), TokenRanges.FULL, 12);
        return LoadPlanner.plan(table, List.of(SSTable.open(source(), written)), List.of(receiver))
                .get(0)
                .transfers();
    }

    @Test
    void what_an_earlier_attempt_received_without_checksums_is_not_called_verified() throws Exception {
        Path digest = source().resolve(written.fileName(Component.DIGEST));
        Path sums = source().resolve(written.fileName(Component.CRC));
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Links.OpenPort served = serve(links)) {
            Files.move(digest, folder.resolve("digest"));
            Files.move(sums, folder.resolve("sums"));
            PullFromAll first = pull(served.address(), NOBODY, links);
            assertThat(first.run().failures()).hasSize(1);
            assertThat(first.unverified()).isEqualTo(1);
            assertThat(first.hasParts()).isTrue();
            Files.move(folder.resolve("digest"), digest);
            Files.move(folder.resolve("sums"), sums);

            PullFromAll second = pull(NOBODY, served.address(), links);

            assertThat(second.here()).containsExactly(node(1, NOBODY));
            PullFromAll.Result result = second.run();
            assertThat(result.failures()).isEmpty();
            assertThat(result.sstables()).hasSize(2);
            assertThat(second.unverified()).isEqualTo(1);
        }
        assertThat(folder.resolve("shop").resolve("users-1"))
                .isDirectoryNotContaining(file -> file.getFileName().toString().startsWith("unverified"));
    }

    @Test
    void nothing_is_left_of_an_attempt_in_which_no_node_gave_anything() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            PullFromAll pull = pull(NOBODY, NOBODY, links);

            assertThat(pull.run().failures()).hasSize(2);

            assertThat(pull.hasParts()).isFalse();
            assertThat(pull.partsFolder()).doesNotExist();
        }
    }
}
