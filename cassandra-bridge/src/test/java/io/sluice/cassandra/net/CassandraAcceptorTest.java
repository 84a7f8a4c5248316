package io.sluice.cassandra.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.encoding.Bytes;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections that we take, over real sockets. */
class CassandraAcceptorTest {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraAcceptorTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder = Path.of("");

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private String afterOneConnection(Consumer<IncomingLink> onLink) throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        onLink,
                        (peer, reason) -> heard.add(reason))) {
            links.connect(acceptor.address(), Optional.empty()).close();
            return String.valueOf(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void silent_connections_keep_nobody_out() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> heard.add("served"),
                        (peer, reason) -> LOG.info("{}", reason))) {
            for (int i = 0; i < CassandraAcceptor.MOST_CONNECTIONS + 50; i++) {
                silent.add(new Socket(
                        acceptor.address().getAddress(), acceptor.address().getPort()));
            }
            for (int i = 0; i < 10; i++) {
                links.connect(acceptor.address(), Optional.empty()).close();
                assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("loader %d", i)
                        .isEqualTo("served");
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void connections_without_a_message_keep_nobody_out() throws Exception {
        List<OutgoingLink> silent = new ArrayList<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> read(link, new CountDownLatch(0)),
                        (peer, reason) -> LOG.info("{}", reason))) {
            for (int i = 0; i < CassandraAcceptor.MOST_CONNECTIONS; i++) {
                silent.add(links.connect(acceptor.address(), Optional.empty()));
            }
            try (OutgoingLink sender = links.connect(acceptor.address(), Optional.empty())) {
                sender.send(new StreamMessage.KeepAlive());

                assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("a message");
            }
        } finally {
            silent.forEach(OutgoingLink::close);
        }
    }

    @Test
    void a_connection_that_makes_room_for_others_is_refused_with_a_reason() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> {},
                        (peer, reason) -> heard.add(reason))) {
            for (int i = 0; i <= CassandraAcceptor.MOST_CONNECTIONS; i++) {
                silent.add(new Socket(
                        acceptor.address().getAddress(), acceptor.address().getPort()));
            }

            assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(
                            "connection of " + silent.get(0).getLocalSocketAddress() + ": closed before the handshake");
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void each_connection_too_many_is_refused_with_a_reason_whatever_is_done_with_it() throws Exception {
        List<OutgoingLink> served = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> read(link, end),
                        (peer, reason) -> {
                            heard.add(reason);
                            throw new IllegalStateException("injected");
                        })) {
            for (int i = 0; i < CassandraAcceptor.MOST_CONNECTIONS; i++) {
                OutgoingLink sender = links.connect(acceptor.address(), Optional.empty());
                served.add(sender);
                sender.send(new StreamMessage.KeepAlive());
                assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("a message");
            }

            try {
                for (int i = 0; i < 2; i++) {
                    new Socket(
                                    acceptor.address().getAddress(),
                                    acceptor.address().getPort())
                            .close();

                    assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .startsWith("connection of /127.0.0.1:")
                            .contains("256 connections are in use");
                }
            } finally {
                end.countDown();
            }
        } finally {
            served.forEach(OutgoingLink::close);
        }
        assertThat(heard).isEmpty();
    }

    private void read(IncomingLink link, CountDownLatch end) {
        try {
            link.read();
            heard.add("a message");
            end.await();
        } catch (IOException closed) {
            LOG.info("{}", closed.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_defect_in_serving_a_connection_is_told_of() throws Exception {
        for (Throwable defect : List.of(new IllegalStateException("injected"), new AssertionError("injected"))) {
            assertTold(defect);
        }
    }

    private void assertTold(Throwable defect) throws Exception {
        assertThat(afterOneConnection(link -> {
                    if (defect instanceof RuntimeException unchecked) {
                        throw unchecked;
                    }
                    throw (Error) defect;
                }))
                .startsWith("connection of /127.0.0.1:")
                .contains("internal error")
                .contains("injected");
    }

    @Test
    void a_file_that_ends_too_early_says_how_much_is_missing() throws Exception {
        assertThat(afterOneConnection(this::receive))
                .contains("closed by /127.0.0.1:")
                .contains("7 bytes of a file outstanding");
    }

    @Test
    void a_position_counts_the_bytes_of_files() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> {
                            long before = link.input().offset();
                            receive(link);
                            heard.add(String.valueOf(link.input().offset() - before));
                        },
                        (peer, reason) -> heard.add(reason));
                OutgoingLink sender = links.connect(acceptor.address(), Optional.empty())) {
            sender.send(Bytes.wrap(new byte[7]));

            assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("7");
        }
    }

    private void receive(IncomingLink link) {
        try (FileChannel file =
                FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            link.transferTo(file, 7, new CRC32());
        } catch (EOFException ended) {
            heard.add(String.valueOf(ended.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
