package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProxyNetworkTest {
    /** Where nothing is expected. */
    private static final Duration SHORT = Duration.ofMillis(200);
    /** Where it is, on a slow machine. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static final int BROKEN = -1;

    private final ProxyNetwork network = new ProxyNetwork();
    private final Node one = node(1, 1);
    private final Node other = node(2, 2);
    private final BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
    private int last;
    private ServerSocket server;
    private Node target;

    private static Node node(int id, int port) {
        return new Node(new UUID(0, id), "node" + id, new Address("127.0.0.1", port), List.of());
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        target = node(3, server.getLocalPort());
        inBackground(this::accept);
    }

    @AfterEach
    void close() throws IOException {
        network.close();
        server.close();
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task, "target");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket accepted = server.accept();
                inBackground(() -> read(accepted));
            }
        } catch (IOException e) {
            assertThat(server.isClosed()).as("%s", e).isTrue();
        }
    }

    private void read(Socket accepted) {
        try (accepted) {
            for (int next = accepted.getInputStream().read();
                    next >= 0;
                    next = accepted.getInputStream().read()) {
                arrived.add(next);
            }
        } catch (IOException e) {
            arrived.add(BROKEN); // nobody asks for this one
        }
    }

    /** Whether a byte from {@code from}, another one in each call, reaches the target within this time. */
    private boolean reaches(Node from, Duration within) throws Exception {
        Address address = network.seenBy(from, target).address();
        int sent = ++last;
        try (Socket client = new Socket(address.host(), address.port())) {
            client.getOutputStream().write(sent);
            long deadline = System.nanoTime() + within.toNanos();
            Optional<Integer> next = next(deadline);
            while (next.isPresent() && next.get() != sent) {
                next = next(deadline); // of an earlier call, which a cut has kept
            }
            return next.isPresent();
        }
    }

    private Optional<Integer> next(long deadline) throws InterruptedException {
        return Optional.ofNullable(arrived.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
    }

    @Test
    void a_way_that_is_asked_for_after_the_cut_is_cut_too() throws Exception {
        network.cut(one, target);

        assertThat(reaches(one, SHORT)).isFalse();
        assertThat(reaches(other, LONG)).isTrue();
    }

    @Test
    void mending_a_cut_leaves_another_one() throws Exception {
        network.cut(one, target);
        network.cut(target, other);

        network.heal(one, target);

        assertThat(reaches(other, SHORT)).isFalse();
    }

    @Test
    void two_cuts_of_the_same_nodes_end_with_the_later() throws Exception {
        network.cut(one, target);
        network.cut(target, one);

        network.heal(one, target);
        assertThat(reaches(one, SHORT)).isFalse();

        network.heal(target, one);
        assertThat(reaches(one, LONG)).isTrue();
    }
}
