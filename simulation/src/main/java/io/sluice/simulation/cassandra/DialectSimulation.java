package io.sluice.simulation.cassandra;

import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.simulation.Simulation;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of sessions of the Cassandra dialect, from one seed: first faults and lies, then none, when all sessions must
 * end; at last what has failed is tried again, and must succeed. Used once; not thread-safe.
 */
final class DialectSimulation {
    private static final long SECOND = 1_000 * TurnTaking.MILLISECOND;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long MOST_SECONDS_OF_FAULTS = 60;
    private static final long MOST_SECONDS_TO_THE_END = 600;
    private static final long MAX_STEPS = 1_000_000;
    private static final long MOST_ALLOCATED_BYTES = 64 << 20;
    private static final int PORT = 7000;

    private final long seed;
    private final DialectData data;
    private final Path folder;
    private final SplittableRandom random;
    private final TurnTaking turns;
    private final DialectPromises promises;
    private final DialectNetwork network;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<DialectHost> hosts = new ArrayList<>();
    private final double senderLies;
    private final double receiverLies;
    private boolean isHealed;
    private @Nullable DialectFollower receiving;

    /** How a session ended: with a failure, or well. */
    private record End(Optional<Failure> failure) {}

    /** A session that was started: how it ended, once it has. */
    private static final class Attempt {
        private final String name;
        private final DialectHost host;
        private final boolean isRetry;
        private final Runnable again;
        private @Nullable End end;

        Attempt(String name, DialectHost host, boolean isRetry, Runnable again) {
            this.name = name;
            this.host = host;
            this.isRetry = isRetry;
            this.again = again;
        }

        boolean hasSucceeded() {
            return end != null && end.failure().isEmpty();
        }
    }

    DialectSimulation(long seed, DialectData data) throws IOException {
        this.seed = seed;
        this.data = data;
        this.folder = data.runFolder();
        this.random = new SplittableRandom(seed);
        this.turns = new TurnTaking(random.split());
        this.promises = new DialectPromises(turns);
        this.network = new DialectNetwork(turns, random.split(), WireFaults.Rates.draw(random), promises);
        promises.watch(network);
        double rate = random.nextDouble() / 2;
        int liar = random.nextInt(6);
        this.senderLies = liar < 2 ? rate : 0;
        this.receiverLies = liar == 2 || liar == 3 ? rate : 0;
    }

    /** Runs to the end, or to the first broken promise. */
    Simulation.Result run() throws IOException {
        try {
            promises.note("seed " + seed + " " + network.rates() + " lies " + senderLies + " " + receiverLies);
            if (random.nextInt(10) < 7) {
                pushes();
            } else {
                pulls();
            }
            go(random.nextLong(MOST_SECONDS_OF_FAULTS * SECOND));
            heal();
            awaitEnd();
            again();
            awaitEnd();
            requireSuccess();
        } catch (BrokenPromise e) {
            promises.isBroken(String.valueOf(e.getMessage()));
        } finally {
            if (!turns.end()) {
                promises.isBroken("threads do not end: " + turns.running());
            }
            new LocalFiles().deleteTree(folder);
        }
        List<String> trace = List.copyOf(promises.trace());
        return new Simulation.Result(
                seed,
                promises.broken(),
                trace,
                trace.hashCode() * 31L + turns.steps(),
                turns.steps(),
                turns.nanoTime() / 1e9);
    }

    private static InetSocketAddress address(int number) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}), PORT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DialectHost host(int number, double lies) {
        DialectHost host = new DialectHost(network, address(number), random.split(), isHealed ? 0 : lies);
        hosts.add(host);
        return host;
    }

    /** Lets everything happen that happens so soon. */
    private void go(long nanos) {
        long end = turns.nanoTime() + nanos;
        while (turns.step(end)) {
            check();
        }
    }

    private void check() {
        if (!turns.uncaught().isEmpty()) {
            throw new BrokenPromise("a thread ended by " + turns.uncaught().get(0));
        }
        promises.broken().ifPresent(what -> {
            throw new BrokenPromise(what);
        });
        if (turns.steps() > MAX_STEPS) {
            throw new BrokenPromise("no end after " + MAX_STEPS + " steps");
        }
    }

    private List<DialectData.Sendable> drawn(int least) {
        List<DialectData.Sendable> drawn = new ArrayList<>();
        for (int i = least + random.nextInt(4); i > 0; i--) {
            drawn.add(data.sendable().get(random.nextInt(data.sendable().size())));
        }
        return drawn;
    }

    private static UUID planId(SplittableRandom random) {
        return new UUID((random.nextLong() & ~0xf000L) | 0x1000, (random.nextLong() >>> 2) | Long.MIN_VALUE);
    }

    private void pushes() throws IOException {
        DialectHost follower = host(1, receiverLies);
        receiving = new DialectFollower(folder.resolve("to"), promises, network);
        receiving.follow(follower, TIMEOUT);
        UUID shared = planId(random);
        for (int i = 0; i <= random.nextInt(3); i++) {
            DialectHost sender = host(2 + i, senderLies);
            push(sender, random.nextBoolean() ? shared : planId(random), i, drawn(1), 1 + random.nextInt(3));
            if (random.nextDouble() < network.rates().killed() / 2) {
                killSoon(sender);
            }
        }
        if (random.nextDouble() < network.rates().killed()) {
            killSoon(follower);
        }
    }

    private void killSoon(DialectHost host) {
        boolean isNoticed = random.nextBoolean();
        long delay = random.nextLong((random.nextInt(4) > 0 ? 10 : 1_000) * TurnTaking.MILLISECOND);
        long restart = random.nextLong(30 * SECOND);
        promises.afterMessages(
                1 + random.nextInt(20),
                () -> turns.after(delay, () -> {
                    promises.note("kill " + host.address() + (isNoticed ? "" : ", silently"));
                    network.kill(host, isNoticed);
                    turns.after(restart, () -> restart(host));
                }));
    }

    private void restart(DialectHost host) {
        if (receiving != null && host.address().equals(address(1))) {
            try {
                receiving.follow(host(1, receiverLies), TIMEOUT);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void push(DialectHost sender, UUID plan, int index, List<DialectData.Sendable> files, int connections) {
        var order = new Push.Order(
                address(1),
                plan,
                index,
                DialectData.TABLE.id(),
                files.stream().map(DialectData.Sendable::transfer).toList(),
                connections,
                TIMEOUT);
        String name = "push " + attempts.size();
        Push push = new Push(order, sender, new SharedThrottle(0), sent -> {});
        Attempt attempt = new Attempt(
                name, sender, isHealed, () -> push(host(number(sender), 0), planId(random), 0, files, connections));
        attempts.add(attempt);
        long start = random.nextLong(5_000);
        DialectFollower at = receiving == null ? fail() : receiving;
        at.expect(plan, index, files);
        sender.start(name, () -> {
            try {
                turns.sleep(start);
                Optional<Failure> failure = push.run();
                if (failure.isEmpty()) {
                    at.pushed(sender, plan, index, files.size());
                }
                ended(attempt, failure);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        if (!isHealed && random.nextInt(10) == 0) {
            turns.after(random.nextLong(10 * SECOND), push::cancel);
        }
    }

    private static DialectFollower fail() {
        throw new IllegalStateException("nobody receives");
    }

    private static int number(DialectHost host) {
        return host.address().getAddress().getAddress()[3];
    }

    private void ended(Attempt attempt, Optional<Failure> failure) {
        attempt.end = new End(failure);
        promises.note(attempt.name + " ends: " + failure.map(Failure::code));
        failure.ifPresent(reason -> promises.requireReason(attempt.name, reason));
    }

    private void pulls() {
        DialectHost node = host(1, senderLies);
        promises.isScripted(node.address());
        List<DialectData.Sendable> files = drawn(0).stream()
                .filter(one -> !(one.transfer() instanceof io.sluice.cassandra.send.SSTableTransfer.Slice))
                .toList();
        new ServingNode(node, random.split(), promises, files, 1 + random.nextInt(3)).listen();
        DialectHost puller = host(2, receiverLies);
        pull(puller, files);
        if (random.nextDouble() < network.rates().killed() / 2) {
            killSoon(puller);
        }
    }

    private void pull(DialectHost puller, List<DialectData.Sendable> files) {
        String name = "pull " + attempts.size();
        Path received = folder.resolve(name.replace(' ', '-'));
        Path target = TableDirectory.in(
                received, DialectData.TABLE.keyspace(), DialectData.TABLE.name(), DialectData.TABLE.id());
        var order = new Pull.Order(
                address(1),
                DialectData.TABLE.keyspace(),
                DialectData.TABLE.name(),
                DialectData.TABLE.id(),
                TokenRanges.FULL,
                target,
                TIMEOUT);
        Pull pull = new Pull(order, puller);
        Attempt attempt = new Attempt(name, puller, isHealed, () -> pull(host(2, 0), files));
        attempts.add(attempt);
        puller.start(name, () -> {
            Optional<Failure> failure = Optional.empty();
            try {
                pull.run();
            } catch (StreamException | IOException e) {
                failure = Optional.of(Failure.of(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!puller.isDead()) {
                requirePulled(name, received, files, failure.isEmpty());
                if (failure.isEmpty()) {
                    network.wires().stream()
                            .filter(wire -> wire.isOf(puller))
                            .filter(wire -> DialectPromises.init(wire).isPresent())
                            .forEach(promises::pulled);
                }
                ended(attempt, failure);
            }
        });
    }

    private void requirePulled(String name, Path received, List<DialectData.Sendable> files, boolean isSuccess) {
        try {
            boolean isTrue = network.isTrue();
            boolean isThere =
                    Files.exists(received) && !TableDirectory.find(received).isEmpty();
            if (!isSuccess && isThere) {
                promises.isBroken(name + " has failed and kept something");
            } else if (isSuccess && (isThere || isTrue)) {
                String difference = DialectFollower.difference(received, files, isTrue);
                if (!difference.isEmpty()) {
                    promises.isBroken(name + " succeeds: " + difference);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void heal() {
        isHealed = true;
        network.heal();
        promises.forgetActions();
        hosts.forEach(host -> host.lies().stop());
        promises.note("all is well again");
    }

    /** All sessions end, and nothing of them is left but what was received. */
    private void awaitEnd() throws IOException {
        go(MOST_SECONDS_TO_THE_END * SECOND);
        List<String> running = turns.running();
        if (!running.isEmpty()) {
            throw new BrokenPromise("still running after " + MOST_SECONDS_TO_THE_END + " s: " + running);
        }
        for (DialectWire wire : network.wires()) {
            if (wire.isOpen()) {
                throw new BrokenPromise("a connection of " + wire.from() + " to " + wire.to() + " is left open");
            }
        }
        for (DialectHost host : hosts) {
            if (!host.isDead() && host.reservedBytes() > 0) {
                throw new BrokenPromise(host.address() + " keeps " + host.reservedBytes() + " bytes for messages");
            }
        }
        if (receiving != null) {
            receiving.requireNothingElse();
        }
        try (Stream<Path> left = Files.walk(folder)) { // a pull receives beside its target, deeper down
            Optional<Path> partial = left.filter(DialectSimulation::isPartial).findAny();
            if (partial.isPresent() && hosts.stream().noneMatch(DialectHost::isDead)) {
                throw new BrokenPromise("orphaned: " + folder.relativize(partial.get()));
            }
        }
        if (turns.mostAllocatedBytes() > MOST_ALLOCATED_BYTES) {
            throw new BrokenPromise("a thread has allocated " + turns.mostAllocatedBytes() + " bytes");
        }
    }

    private static boolean isPartial(Path path) {
        String name = String.valueOf(path.getFileName());
        return name.startsWith(".") && name.endsWith(".partial");
    }

    private void again() {
        for (Attempt attempt : List.copyOf(attempts)) {
            if (attempt.end == null && !attempt.host.isDead()) {
                throw new BrokenPromise(attempt.name + " has not ended");
            }
            if (!attempt.hasSucceeded()) {
                attempt.again.run();
            }
        }
    }

    private void requireSuccess() {
        for (Attempt attempt : attempts) {
            if (attempt.isRetry && !attempt.hasSucceeded()) {
                throw new BrokenPromise(attempt.name + " fails although all is well: " + attempt.end);
            }
        }
    }
}
