package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A source with some tables and a receiver without, in virtual time, in which nothing goes wrong but what a test wants.
 * What the simulation promises is judged here, too; when it is closed, all that hangs answers, and nothing may be left.
 * Long because its tests provoke and watch both ends by it.
 */
final class TwoEngines implements AutoCloseable {
    static final Duration SILENCE = Simulation.DEADLINES.silence();
    /** Longer than any deadline, and all of them together. */
    static final Duration LONG = Duration.ofMinutes(15);

    private static final SessionSettings ONE_CONNECTION = new SessionSettings(1, 1, 512, 4, 100, Simulation.DEADLINES);
    private static final TokenRange EVERYTHING = TokenRange.of(0, 0);

    final World world = new Watched();
    final List<TableRef> tables = new ArrayList<>();
    final Hangs hangs = new Hangs();
    /** Results of which the databases were notified. */
    final List<PlanResult> told = new ArrayList<>();

    final SimulatedNode source;
    final SimulatedNode receiver;
    final SourceDatabase sourceTables;
    final ReceivingDatabase received;

    /** What the databases do when they are notified of a result. */
    Runnable onResult = () -> {};

    /** Whether what may wait has a thread of its own, which takes its time. */
    private boolean mayHang;

    /** Bytes of temporary files that the source may prepare ahead of the receiver. */
    long aheadBytes = 1 << 30;

    /** Nodes whose authorizer does not answer its next question. */
    final Set<SimulatedNode> unanswered = new HashSet<>();

    private WatchedStore.Call atStart = call -> {};
    private final List<Wire> wires = new ArrayList<>();
    private final Map<SimulatedNode, WatchedStore> stores = new HashMap<>();
    private final Map<SimulatedNode, WatchedDisk> disks = new HashMap<>();

    /** Remembers its connections. */
    private final class Watched extends World {
        Watched() {
            super(1, Set.of(), false);
            assertThat(hasLimits || hasSlowSources)
                    .as("seed 1 limits nothing, and slows nobody down")
                    .isFalse();
            quiesce();
        }

        @Override
        Wire connect(SimulatedNode from, SimulatedNode to, Message.Hello hello) {
            Wire wire = super.connect(from, to, hello);
            wires.add(wire);
            return wire;
        }
    }

    /** @param rows of each table, in two SSTables; 16 bytes each */
    TwoEngines(int count, int rows) {
        this(count, rows, RetryPolicy.DEFAULTS);
    }

    TwoEngines(int count, int rows, RetryPolicy retries) {
        for (int i = 0; i < count; i++) {
            tables.add(new TableRef(new UUID(3, i), "ks", "t" + i));
        }
        world.tables.addAll(tables);
        world.seams = new Seams() {
            @Override
            Disk disk(SimulatedNode node, Disk disk) {
                WatchedDisk watched = new WatchedDisk(disk);
                disks.put(node, watched);
                return watched;
            }

            @Override
            TableStore store(SimulatedNode node, TableStore store) {
                WatchedStore watched = new WatchedStore(store);
                watched.onCall = atStart;
                stores.put(node, watched);
                return watched;
            }

            @Override
            boolean run(Runnable work) {
                if (mayHang) {
                    return hangs.run(work);
                }
                return super.run(work);
            }

            @Override
            Authorizer authorizer() {
                return new Authorizer() {};
            }

            @Override
            void ask(SimulatedNode node, Runnable question) {
                if (!unanswered.remove(node)) {
                    question.run();
                }
            }

            @Override
            long aheadBytes(long drawn) {
                return aheadBytes;
            }

            @Override
            RetryPolicy retries() {
                return retries;
            }

            @Override
            SessionSettings sessions(SessionSettings drawn) {
                return ONE_CONNECTION;
            }

            @Override
            void finished(PlanResult result) {
                told.add(result);
                onResult.run();
            }
        };
        source = node("source", SourceDatabase::new);
        receiver = node("receiver", ReceivingDatabase::new);
        sourceTables = (SourceDatabase) source.database();
        received = (ReceivingDatabase) receiver.database();
        for (TableRef table : tables) {
            fill(table, rows);
        }
    }

    private SimulatedNode node(String name, SimulatedDatabase.Maker database) {
        SimulatedNode node = new SimulatedNode(world, name, database);
        world.nodes.put(node.node.id(), node);
        node.open();
        return node;
    }

    private void fill(TableRef table, int rows) {
        List<SimulatedRow> all = IntStream.range(0, rows)
                .mapToObj(i -> new SimulatedRow(i, i, i))
                .toList();
        sourceTables.add(table.id(), all.subList(0, rows / 2));
        sourceTables.add(table.id(), all.subList(rows / 2, rows));
        world.oracle.isTrue(table.id(), Rows.visible(all));
        world.planned
                .computeIfAbsent(receiver.name, name -> new HashMap<>())
                .put(table.id(), RingSection.of(List.of(EVERYTHING)));
    }

    /** What the engine of a node that runs now has for a database. */
    WatchedStore store(SimulatedNode node) {
        return stores.getOrDefault(node, new WatchedStore(node.database().store()));
    }

    /** What the engine of a node that runs now has for a disk. */
    WatchedDisk disk(SimulatedNode node) {
        return disks.getOrDefault(node, new WatchedDisk(node.disk));
    }

    Engine engine(SimulatedNode node) {
        return node.engine().orElseThrow();
    }

    /** The first message of a session of the receiver. */
    Message.Hello hello() {
        return new Message.Hello(
                Message.Cluster.named("sim"),
                new UUID(1, 1),
                receiver.node.id(),
                Message.Role.CONTROL,
                new UUID(2, 2),
                Message.SessionNumber.FIRST,
                0);
    }

    /** All of these tables from the source. */
    StreamPlan plan(TableRef... wanted) {
        List<StreamRequest> requests = new ArrayList<>();
        for (TableRef table : wanted) {
            requests.add(new StreamRequest(source.node, table, TokenRanges.FULL));
        }
        return new StreamPlan(world.newUuid(), Operation.REPLACE, requests);
    }

    /** All that the source has. */
    StreamPlan planOfAll() {
        return plan(tables.toArray(TableRef[]::new));
    }

    OrderedPlan execute(StreamPlan plan) {
        return receiver.execute(received, plan);
    }

    /** Executes a plan to its end. */
    PlanResult fetch(StreamPlan plan) {
        return await(execute(plan));
    }

    PlanResult await(OrderedPlan plan) {
        until(() -> plan.result().isPresent());
        return plan.result().orElseThrow();
    }

    /** Goes on until something is so, which must be soon enough for any deadline. */
    void until(BooleanSupplier isSo) {
        long end = world.scheduler.nowNanos() + 8 * LONG.toNanos();
        while (!isSo.getAsBoolean()) {
            assertThat(world.scheduler.step(end)).as("it comes, if late").isTrue();
            requireNoViolation();
        }
    }

    /** Each time another error, as one may follow the other. */
    private void requireNoViolation() {
        try {
            world.requireNoViolation();
        } catch (Violation e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    /** Lets time pass. */
    void pass(Duration time) {
        long end = world.scheduler.nowNanos() + time.toNanos();
        while (world.scheduler.step(end)) {
            requireNoViolation();
        }
    }

    Duration now() {
        return Duration.ofNanos(world.scheduler.nowNanos());
    }

    /** The one session of a plan, as it is now. */
    SessionProgress progress(StreamPlan plan) {
        var samples = engine(receiver).progress(plan.id());
        until(samples::isDone);
        assertThat(samples.join()).hasSize(1);
        return samples.join().get(0);
    }

    /** Goes on until so many bytes of a plan were received. */
    void untilReceived(StreamPlan plan, long lengthBytes) {
        until(() -> !dataConnections().isEmpty());
        while (progress(plan).bytesReceived() < lengthBytes) {
            pass(Duration.ofMillis(10));
        }
    }

    /** Those that carry files, in the order in which they were opened. */
    List<Wire> dataConnections() {
        return wires.stream()
                .filter(wire -> wire.hello.role() == Message.Role.DATA)
                .toList();
    }

    /** The first of the connections on which sessions are agreed on. */
    Wire control() {
        return wires.stream()
                .filter(wire -> wire.hello.role() == Message.Role.CONTROL)
                .findFirst()
                .orElseThrow();
    }

    /** Sessions in which the source sends now. */
    int sending() {
        var samples = engine(source).sending();
        until(samples::isDone);
        return samples.join().size();
    }

    /**
     * From now on an operation on such a file of a node hangs, until {@link #answer}.
     *
     * @return whether one hangs
     */
    BooleanSupplier hangAt(SimulatedNode node, String operation, String file) {
        mayHang = true;
        disk(node).onOperation = (what, name) -> {
            if (what.equals(operation) && (name.equals(file) || name.endsWith("-" + file))) {
                hangs.hang();
            }
        };
        return () -> hangs.count() > 0;
    }

    /** The same of a call of the receiver's database. */
    BooleanSupplier hangAtCall(String name) {
        return hangAtCall(receiver, name);
    }

    /** The same of a call of the database of a node: of all of a name, or for one table. */
    BooleanSupplier hangAtCall(SimulatedNode node, String name) {
        mayHang = true;
        store(node).onCall = call -> {
            if ((call + " ").startsWith(name + " ")) {
                hangs.hang();
            }
        };
        return () -> hangs.count() > 0;
    }

    /** Disk and database of a node answer; what hangs goes on hanging. */
    void answerLaterCalls(SimulatedNode node) {
        disk(node).onOperation = (what, name) -> {};
        store(node).onCall = call -> {};
    }

    /** Disk and database of a node answer, also what hangs. */
    void answer(SimulatedNode node) {
        answerLaterCalls(node);
        hangs.release();
    }

    /** From now on a call of the receiver's database fails. */
    void failAtCall(String name) {
        store(receiver).onCall = failing(name);
    }

    /** The receiver's process ends, and starts again; a call of its database fails from the beginning. */
    void restartFailingAt(String name) {
        atStart = failing(name);
        restartReceiver();
        atStart = call -> {};
    }

    private static WatchedStore.Call failing(String name) {
        return call -> {
            if (call.startsWith(name + " ")) {
                throw new IOException("not now");
            }
        };
    }

    /** Folders of plans in the staging directory of the receiver. */
    List<Path> staged() throws IOException {
        return receiver.disk.listQuietly(received.stagingDirectory()).stream()
                .filter(receiver.disk::isDirectory)
                .toList();
    }

    /** What lies in the live folders of the receiver. */
    List<Path> receivedFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        for (TableRef table : tables) {
            files.addAll(receiver.disk.listQuietly(received.liveDirectory(table)));
        }
        return files;
    }

    /** The receiver's process ends, and starts again. */
    void restartReceiver() {
        receiver.die(false);
        receiver.restart();
    }

    @Override
    public void close() throws IOException {
        disks.values().forEach(disk -> disk.onOperation = (what, name) -> {});
        stores.values().forEach(store -> store.onCall = call -> {});
        while (hangs.count() > 0) {
            hangs.release();
            pass(Duration.ofSeconds(1));
        }
        pass(LONG);
        world.oracle.check(received);
        world.oracle.checkLiveFiles(received);
        world.oracle.checkNothingIsLeft(received);
        world.oracle.checkNothingIsLeft(source, sourceTables);
    }
}
