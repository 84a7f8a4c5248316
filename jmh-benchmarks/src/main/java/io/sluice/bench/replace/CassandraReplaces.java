package io.sluice.bench.replace;

import io.sluice.bench.process.Machine;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.sstable.SSTable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Cassandra's own replacement, by its own streams. Not thread-safe. */
final class CassandraReplaces implements Contender {
    private static final String STREAMED = "org.apache.cassandra.metrics:type=Streaming,name=";
    private static final double NANOS_PER_SECOND = 1e9;

    private final RunningCassandra cassandra;
    private final Arena arena;

    CassandraReplaces(RunningCassandra cassandra, Arena arena) {
        this.cassandra = cassandra;
        this.arena = arena;
    }

    @Override
    public String name() {
        return "Cassandra " + cassandra.options().release();
    }

    @Override
    public String what() {
        return "a new node of Cassandra in the place of the dead one, by its own streams, without throttles: from"
                + " \"Starting to bootstrap\" in its log until \"All sessions completed\". Its sources run on from one"
                + " repetition to the next. It compares whole files with no checksum, and syncs nothing.";
    }

    @Override
    public boolean isVerified() {
        return false;
    }

    @Override
    public boolean isDurable() {
        return false;
    }

    @Override
    public Replacement replace(Consumer<String> told) throws IOException, InterruptedException {
        told.accept("a node starts");
        double load = Machine.load();
        arena.prepareMemory();
        LocalNode node = cassandra.join(List.of());
        JoinWatch watch = new JoinWatch(node);
        long asked = watch.awaitAsking(arena, told);
        told.accept("it streams");
        CpuMeter receiver = CpuMeter.ofHandles(List.of(RunningCassandra.process(node)));
        CpuMeter sources = CpuMeter.ofHandles(cassandra.sources());
        long hasAll = watch.await(JoinPhase.HAS_ALL);
        double receiverCpu = receiver.seconds();
        double sourceCpu = sources.seconds();
        long normal = watch.await(JoinPhase.NORMAL);
        told.accept("what was received is compared");
        List<SSTable> came = cassandra.sstables(node);
        arena.requireSame(name(), came);
        Replacement done;
        try (NodeTool tool = NodeTool.of(node)) {
            done = new Replacement(
                    (hasAll - asked) / NANOS_PER_SECOND,
                    Optional.of((normal - asked) / NANOS_PER_SECOND),
                    receiverCpu,
                    sourceCpu,
                    tool.counted(STREAMED + "IncomingBytes,*"),
                    came.size(),
                    modes(tool),
                    load);
        }
        told.accept("the node dies");
        cassandra.killJoined();
        return done;
    }

    private static String modes(NodeTool tool) throws IOException {
        long whole = tool.counted(STREAMED + "EntireSSTablesStreamedIn,*");
        long rows = tool.counted(STREAMED + "PartialSSTablesStreamedIn,*");
        return whole + " whole, " + rows + " rows";
    }
}
