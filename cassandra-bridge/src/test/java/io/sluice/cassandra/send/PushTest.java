package io.sluice.cassandra.send;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.Clockwork;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A push that is cancelled, or whose files change, before it sends. */
class PushTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TokenRanges MOST = TokenRanges.of(TokenRange.of(Long.MIN_VALUE + 1, Long.MAX_VALUE / 2));

    @TempDir
    private Path temp = Path.of("");

    private final AtomicInteger cut = new AtomicInteger();
    private final AtomicInteger prepared = new AtomicInteger();

    private List<SSTableTransfer> slices(int count) throws IOException {
        List<SSTableTransfer> slices = new ArrayList<>();
        List<Descriptor> written = new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(temp, TokenRanges.FULL.ranges(), count, 1);
        for (Descriptor descriptor : written) {
            slices.add(new SSTableTransfer.Slice(SSTable.open(temp, descriptor), MOST, 1));
        }
        return slices;
    }

    /**
     * To an address at which nobody listens.
     *
     * @param onCut is called after each slice
     */
    private Push push(List<SSTableTransfer> transfers, CassandraLinks links, Runnable onCut) {
        return push(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), transfers, links, onCut);
    }

    private Push push(InetSocketAddress node, List<SSTableTransfer> transfers, Links links, Runnable onCut) {
        var order = new Push.Order(node, Uuids.timeBased(), 0, new UUID(1, 2), transfers, 1, PATIENCE);
        return new Push(order, links, new SharedThrottle(0), new Push.Listener() {
            @Override
            public void sent(long lengthBytes) {}

            @Override
            public void prepared(long lengthBytes) {
                prepared.incrementAndGet();
            }

            @Override
            public void cut() {
                cut.incrementAndGet();
                onCut.run();
            }
        });
    }

    @Test
    void one_that_is_cancelled_cuts_nothing() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            Push push = push(slices(2), links, () -> {});
            push.cancel();

            assertThat(push.run()).map(Failure::code).contains(ErrorCode.CANCELLED);
            assertThat(cut).hasValue(0);
        }
    }

    @Test
    void one_that_is_cancelled_while_it_cuts_cuts_no_more() throws Exception {
        List<Push> self = new ArrayList<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            Push push = push(slices(3), links, () -> self.get(0).cancel());
            self.add(push);

            assertThat(push.run()).map(Failure::code).contains(ErrorCode.CANCELLED);
            assertThat(cut).hasValue(1);
        }
    }

    private SSTable compressed() throws IOException {
        return SSTable.open(
                temp,
                new DataSetWriter(
                                DataSet.ofBytes(1, 1 << 20),
                                Version.NB,
                                WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4()))
                        .write(temp, TokenRanges.FULL.ranges(), 1, 1)
                        .get(0));
    }

    @Test
    void positions_are_looked_up_when_a_file_is_sent_and_are_not_kept_until_then() throws Exception {
        SSTable sstable = compressed();
        Path chunks = sstable.path(Component.COMPRESSION_INFO);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor node = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> prepareWithout(chunks, link),
                        (peer, reason) -> {})) {
            List<SSTableTransfer> part = List.of(new SSTableTransfer.Part(sstable, MOST, 1));

            Optional<Failure> failure =
                    push(node.address(), part, links, () -> {}).run();

            assertThat(failure)
                    .map(Failure::reason)
                    .hasValueSatisfying(reason -> assertThat(reason).contains(Component.COMPRESSION_INFO.fileName()));
            assertThat(prepared).hasValue(1);
        }
    }

    /** A node that is ready after a file of the sender has disappeared, and reads no more. */
    private static void prepareWithout(Path file, IncomingLink link) {
        try {
            if (link.read() instanceof StreamMessage.StreamInit) {
                link.read();
                Files.delete(file);
                link.send(new StreamMessage.PrepareSynAck(List.of()));
                link.read();
            }
        } catch (IOException e) {
            link.close(); // the sender has ended
        }
    }

    /** Links of a push that is cancelled while it connects. */
    private record Cancelling(CassandraLinks real, List<Push> pushes) implements Links {
        @Override
        public OutgoingLink connect(InetSocketAddress node, Optional<InetSocketAddress> identity) {
            OutgoingLink link = real.connect(node, identity);
            pushes.forEach(Push::cancel);
            return link;
        }

        @Override
        public OpenPort listen(
                InetSocketAddress at, Consumer<IncomingLink> onLink, CassandraAcceptor.Refusals onRefused)
                throws IOException {
            return real.listen(at, onLink, onRefused);
        }

        @Override
        public Duration timeout() {
            return real.timeout();
        }

        @Override
        public Clockwork clockwork() {
            return real.clockwork();
        }
    }

    @Test
    void one_that_is_cancelled_while_it_connects_looks_nothing_up() throws Exception {
        List<SSTableTransfer> part = List.of(new SSTableTransfer.Part(compressed(), MOST, 1));
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor node = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), link -> {}, (peer, reason) -> {})) {
            Cancelling cancelling = new Cancelling(links, new ArrayList<>());
            Push push = push(node.address(), part, cancelling, () -> {});
            cancelling.pushes().add(push);

            assertThat(push.run()).map(Failure::code).contains(ErrorCode.CANCELLED);
            assertThat(prepared).hasValue(0);
        }
    }
}
