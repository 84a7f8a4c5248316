package io.sluice.simulation.cassandra;

import io.netty.channel.ChannelHandler;
import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.IncomingLink;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** All connections of a run, and who listens where. Not thread-safe: for threads that take turns. */
final class DialectNetwork {
    final TurnTaking turns;
    private final SplittableRandom random;
    private final DialectPromises promises;
    private final List<DialectWire> wires = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private WireFaults.Rates rates;
    private int ports = 20_000;

    /** Who accepts connections at an address. */
    record Listener(
            DialectHost host,
            InetSocketAddress address,
            Consumer<IncomingLink> onLink,
            CassandraAcceptor.Refusals onRefused) {}

    DialectNetwork(TurnTaking turns, SplittableRandom random, WireFaults.Rates rates, DialectPromises promises) {
        this.turns = turns;
        this.random = random;
        this.rates = rates;
        this.promises = promises;
    }

    WireFaults.Rates rates() {
        return rates;
    }

    /** From now on nothing goes wrong on the way, and nobody lies; what was lost stays lost. */
    void heal() {
        rates = WireFaults.Rates.NONE;
        for (DialectWire wire : wires) {
            wire.there().heal();
            wire.back().heal();
        }
    }

    /** A port that nobody has used. */
    int newPort() {
        return ports++;
    }

    void add(Listener listener) {
        listeners.add(listener);
    }

    void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** Who listens; empty if nobody does, or a fault refuses the connection. */
    Optional<Listener> listener(InetSocketAddress at) {
        boolean isRefused = random.nextDouble() < rates.refused();
        return listeners.stream()
                .filter(one ->
                        !isRefused && one.address().equals(at) && !one.host().isDead())
                .findFirst();
    }

    DialectWire connect(DialectHost from, DialectHost to, InetSocketAddress at, ChannelHandler handler) {
        InetSocketAddress local = new InetSocketAddress(from.address().getAddress(), newPort());
        DialectWire[] made = new DialectWire[1];
        var plan = new DialectWire.Plan(
                from,
                local,
                to,
                at,
                WireFaults.draw(rates, random),
                WireFaults.draw(rates, random),
                new Transcript(from.lies(), message -> promises.sends(made[0], true, message)),
                new Transcript(to.lies(), message -> promises.sends(made[0], false, message)));
        made[0] = new DialectWire(turns, random, plan, handler);
        wires.add(made[0]);
        return made[0];
    }

    /** Whether everything that arrived is what the driver of its sender said. */
    boolean isTrue() {
        return wires.stream()
                .noneMatch(wire -> wire.there().isFalse() || wire.back().isFalse());
    }

    List<DialectWire> wires() {
        return wires;
    }

    /** The connections of a process that is killed end, for the peers to see or not. */
    void kill(DialectHost host, boolean isNoticed) {
        host.life().end();
        listeners.removeIf(one -> one.host() == host);
        for (DialectWire wire : wires) {
            if (wire.isOf(host)) {
                if (isNoticed) {
                    wire.cut();
                } else {
                    wire.there().lose();
                    wire.back().lose();
                }
            }
        }
    }
}
