package io.sluice.cassandra.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.Handshake;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireInput;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection that we opened, over a real socket. */
class OutgoingLinkTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long LENGTH_BYTES = 40 << 20;
    private static final int PIECE_BYTES = 1 << 16;
    private static final int RECEIVE_BUFFER_BYTES = 1 << 16;
    /** Far more than a timeout passes while all pieces are read. */
    private static final long PAUSE_MILLIS = 5;

    @TempDir
    private Path folder = Path.of("");

    /** Reads a little, again and again; returns how much. */
    private static long readSlowly(ServerSocket server) {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            int version = Handshake.Initiate.read(new WireInput(in)).agreedVersion();
            socket.getOutputStream()
                    .write(new Handshake.Accept(Handshake.HIGHEST_VERSION, version)
                            .encode()
                            .toArray());
            byte[] piece = new byte[PIECE_BYTES];
            long total = 0;
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                total += count;
                TimeUnit.MILLISECONDS.sleep(total < LENGTH_BYTES ? PAUSE_MILLIS : 0);
            }
            return total;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_connection_that_was_closed_is_reported_as_such() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, TIMEOUT);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), link -> {}, (peer, reason) -> {})) {
            OutgoingLink link = links.connect(acceptor.address(), Optional.empty());
            link.close();

            assertThatThrownBy(() -> link.send(new StreamMessage.KeepAlive()))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageEndingWith(":" + acceptor.address().getPort() + ": closed");
        }
    }

    @Test
    @Tag("full") // real seconds
    void a_region_that_takes_longer_than_the_timeout_is_sent_to_a_peer_that_reads() throws Exception {
        Path path = folder.resolve("file");
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
            sparse.setLength(LENGTH_BYTES);
        }
        try (ServerSocket server = new ServerSocket();
                CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, TIMEOUT);
                FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            server.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CompletableFuture<Long> read = CompletableFuture.supplyAsync(() -> readSlowly(server));
            var address = (InetSocketAddress) server.getLocalSocketAddress();
            try (OutgoingLink link = links.connect(address, Optional.empty())) {
                link.send(file, 0, LENGTH_BYTES);
            }

            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(LENGTH_BYTES);
        }
    }
}
