package io.sluice.simulation.cassandra;

import io.sluice.cassandra.receive.Follower;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A follower over all lives of its process, and what it receives. Not thread-safe: for threads that take turns. */
final class DialectFollower {
    private static final String LOCK = ".in-use"; // of a follower that runs

    private final Path target;
    private final DialectPromises promises;
    private final DialectNetwork network;
    private final Map<String, List<DialectData.Sendable>> expected = new HashMap<>();
    private final Set<String> kept = new HashSet<>();
    private boolean wasKilled;
    private @Nullable Follower follower;

    DialectFollower(Path target, DialectPromises promises, DialectNetwork network) {
        this.target = target;
        this.promises = promises;
        this.network = network;
    }

    /** Starts a life. */
    void follow(DialectHost host, Duration timeout) throws IOException {
        wasKilled |= follower != null;
        release();
        follower = Follower.start(
                new Follower.Order(
                        host.address(),
                        target,
                        id -> id.equals(DialectData.TABLE.id()) ? Optional.of(DialectData.TABLE) : Optional.empty(),
                        timeout,
                        outcome -> {
                            if (!host.isDead()) {
                                ended(outcome);
                            }
                        },
                        reason -> promises.note("refused: " + (reason.contains("internal error") ? reason : ""))),
                host);
    }

    /** The system releases the locks of a process that was killed; here its threads are only held. */
    private void release() throws IOException {
        if (Files.deleteIfExists(target.resolve(LOCK))) {
            System.clearProperty("io.sluice.locked." + target.toRealPath().resolve(LOCK));
        }
    }

    /** What a session will send. */
    void expect(UUID plan, int index, List<DialectData.Sendable> files) {
        expected.put(plan + "-" + index, files);
    }

    private void ended(Follower.Outcome outcome) {
        promises.note("follow ends: " + outcome.failure().map(Failure::code));
        if (outcome.failure().isPresent()) {
            promises.requireReason("a follower", outcome.failure().get());
            return;
        }
        outcome.folder().ifPresent(this::requireRight);
    }

    private void requireRight(Path folder) {
        try {
            String name = String.valueOf(folder.getFileName());
            kept.add(name);
            List<DialectData.Sendable> sent = expected.get(name);
            if (sent == null) {
                if (network.isTrue()) {
                    promises.isBroken("a session that nobody began was received");
                }
                return;
            }
            String difference = difference(folder, sent, network.isTrue());
            if (!difference.isEmpty()) {
                promises.isBroken("a session is received: " + difference);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is wrong with received SSTables; a peer that lies, or a changed count, may have announced fewer. */
    static String difference(Path folder, List<DialectData.Sendable> sent, boolean isTrue) throws IOException {
        String difference = DialectData.difference(folder, sent, isTrue);
        return !isTrue && difference.endsWith("are missing") ? "" : difference;
    }

    /** Judges a push that succeeds: the node confirmed all, and has it. */
    void pushed(DialectHost sender, UUID plan, int index, int files) {
        for (DialectWire wire : network.wires()) {
            if (wire.isOf(sender) && DialectPromises.init(wire).isPresent()) {
                promises.pushed(wire, files);
            }
        }
        if (network.isTrue() && !Files.exists(target.resolve(plan + "-" + index))) {
            promises.isBroken("a push succeeds, and the node has nothing");
        }
    }

    /** That no other folder is there than those of sessions that succeeded. */
    void requireNothingElse() throws IOException {
        if (follower != null && !follower.underWay().isEmpty()) {
            throw new BrokenPromise("a session is still under way: " + follower.underWay());
        }
        if (!Files.exists(target)) {
            return;
        }
        try (Stream<Path> left = Files.list(target)) {
            for (Path one : left.toList()) {
                String name = String.valueOf(one.getFileName());
                boolean isExpected = kept.contains(name) || (wasKilled && !name.startsWith("."));
                if (!isExpected && !name.equals(LOCK)) {
                    throw new BrokenPromise("orphaned: " + name);
                }
            }
        }
    }
}
