package io.sluice.bench;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.Rebuild;
import io.sluice.streaming.plan.TopologyChange.SourceFilter;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Plans the rebuild of a whole data centre from another one of the same shape, 3 replicas in each, 8 racks, in a heap
 * of 512 MiB, by one thread. The model of the ring is built beforehand; the time is that of planning alone.
 * {@code shape} is nodes of the rebuilt data centre x tokens of each.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgs = "-Xmx512m")
@Threads(1)
public class PlannerBenchmark {
    private static final TableRef TABLE = new TableRef(new UUID(0, 1), "ks", "t");
    private static final int RACKS = 8;
    private static final long BYTES_PER_REPLICA = 1L << 50;

    @Param({"10x256", "100x256", "300x256", "1000x256", "10000x16"})
    public String shape = "";

    private Map<TableRef, Ring> rings = Map.of();
    private TopologyChange rebuild = new Rebuild(List.of(), TokenRanges.FULL, SourceFilter.ANY);

    @Setup
    public void build() {
        int nodesPerDc = Integer.parseInt(shape.substring(0, shape.indexOf('x')));
        int tokens = Integer.parseInt(shape.substring(shape.indexOf('x') + 1));
        SplittableRandom random = new SplittableRandom(1);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 2 * nodesPerDc; i++) {
            List<Token> own = random.longs(tokens).mapToObj(Token::new).toList();
            nodes.add(new Node(new UUID(1, i), "n" + i, new Address("10.0.0.1", 1 + i), own)
                    .in(i < nodesPerDc ? "old" : "new", "r" + i % RACKS));
        }
        Ring ring = new Ring(nodes, new Replication.NetworkTopology(Map.of("old", 3, "new", 3)));
        rings = Map.of(TABLE, ring);
        rebuild = new Rebuild(nodes.subList(nodesPerDc, 2 * nodesPerDc), TokenRanges.FULL, SourceFilter.inDc("old"));
    }

    @Benchmark
    public TopologyPlan plan() {
        return Planner.plan(
                rebuild, rings, DataSizes.even(BYTES_PER_REPLICA), PlannerOptions.DEFAULTS.cuttingSSTables());
    }
}
