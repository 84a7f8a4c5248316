package io.sluice.simulation.cassandra;

import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.Clockwork;
import io.sluice.cassandra.net.InboundBytes;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/** One life of a process that streams, on the simulated network. Not thread-safe: for threads that take turns. */
final class DialectHost implements Links {
    static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(15);
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long MOST_MILLIS_TO_CONNECT = 100;
    private static final long JOIN_MILLIS = 10_000;
    private static final long MEMORY_BYTES = 64 << 20;
    private static final int BUFFER_BYTES = 1 << 20;

    private final DialectNetwork network;
    private final InetSocketAddress address;
    private final SplittableRandom random;
    private final TurnTaking.Life life = new TurnTaking.Life();
    private final PeerShares memory = new PeerShares(new MemoryPool("messages", MEMORY_BYTES));
    private final PeerLog log = new PeerLog(System::nanoTime);
    private final Lies lies;

    DialectHost(DialectNetwork network, InetSocketAddress address, SplittableRandom random, double lieRate) {
        this.network = network;
        this.address = address;
        this.random = random;
        this.lies = new Lies(random, lieRate);
    }

    InetSocketAddress address() {
        return address;
    }

    TurnTaking.Life life() {
        return life;
    }

    boolean isDead() {
        return life.isOver();
    }

    Lies lies() {
        return lies;
    }

    /** Bytes reserved for messages. */
    long reservedBytes() {
        return memory.sample().used();
    }

    /** Starts a thread of this process. */
    void start(String name, Runnable work) {
        network.turns.start(life, name, work);
    }

    @Override
    public OutgoingLink connect(InetSocketAddress node, Optional<InetSocketAddress> identity) {
        pause(random.nextLong(MOST_MILLIS_TO_CONNECT));
        DialectNetwork.Listener listener = network.listener(node)
                .orElseThrow(() -> new StreamException(ErrorCode.PEER_LOST, node + ": connection refused"));
        InboundBytes inbound =
                new InboundBytes(node.toString(), new TurnLock(network.turns), HANDSHAKE_TIMEOUT.toNanos());
        DialectWire wire = network.connect(this, listener.host(), node, inbound.handler());
        listener.host().start("accept-" + node, () -> listener.host().serve(wire, listener));
        try {
            return OutgoingLink.shakeHands(wire.connecting(), inbound, identity.orElse(wire.from()), TIMEOUT);
        } catch (IOException | RuntimeException e) {
            var unused = wire.connecting().close();
            inbound.close();
            throw e instanceof RuntimeException failed
                    ? failed
                    : new StreamException(ErrorCode.PEER_LOST, "cannot connect to " + node + ": " + e.getMessage(), e);
        }
    }

    private void pause(long millis) {
        try {
            network.turns.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StreamException(ErrorCode.PEER_LOST, "interrupted", e);
        }
    }

    private void serve(DialectWire wire, DialectNetwork.Listener listener) {
        String peer = wire.from().getAddress().getHostAddress();
        try (var end = wire.accepted()) {
            UUID id = UUID.nameUUIDFromBytes(wire.from().getAddress().getAddress());
            var connection = new IncomingLink.Accepted(end, end, log, memory.of(id), BUFFER_BYTES);
            IncomingLink.serve(connection, TIMEOUT, () -> {}, listener.onLink());
        } catch (IOException | StreamException refused) {
            listener.onRefused().accept(peer, String.valueOf(refused.getMessage()));
        }
    }

    @Override
    public OpenPort listen(InetSocketAddress at, Consumer<IncomingLink> onLink, CassandraAcceptor.Refusals onRefused) {
        int port = at.getPort() == 0 ? network.newPort() : at.getPort();
        InetSocketAddress bound = new InetSocketAddress(at.getAddress(), port);
        List<Thread> serving = new ArrayList<>();
        var listener = new DialectNetwork.Listener(
                this,
                bound,
                link -> {
                    serving.add(Thread.currentThread());
                    onLink.accept(link);
                },
                onRefused);
        network.add(listener);
        return new OpenPort() {
            @Override
            public InetSocketAddress address() {
                return bound;
            }

            @Override
            public void close() {
                network.remove(listener);
                network.wires().stream().filter(wire -> wire.to().equals(bound)).forEach(wire -> closeAccepted(wire));
                try {
                    for (Thread thread : serving) {
                        network.turns.join(thread, JOIN_MILLIS);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    private static void closeAccepted(DialectWire wire) {
        try {
            wire.accepted().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Duration timeout() {
        return TIMEOUT;
    }

    @Override
    public Clockwork clockwork() {
        return network.turns;
    }
}
