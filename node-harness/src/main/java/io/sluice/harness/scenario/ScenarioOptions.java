package io.sluice.harness.scenario;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExpectedEnd;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What to do to what cluster. Immutable.
 *
 * @param count how many nodes join, or tablets of each table migrate
 * @param isStrict bootstrap: each range from the node that loses it
 * @param load what is written meanwhile
 * @param links how nodes are connected
 */
public record ScenarioOptions(
        Operation operation,
        Shape shape,
        int count,
        boolean isStrict,
        Dataset dataset,
        Optional<Load> load,
        LinkOptions links,
        FaultPhase faults) {
    private static final long MIN_GENERATED_BYTES = 1 << 20;

    /** Where the data of the run comes from. */
    public sealed interface Dataset {
        /** SSTables that are there: a data directory, keyspaces in it. */
        record Existing(Path directory) implements Dataset {
            @Override
            public String toString() {
                return directory.toString();
            }
        }

        /**
         * SSTables to be made, of about so many bytes in all.
         *
         * @param isSizeTiered whether each spans all that a node holds, and they overlap
         */
        record Generated(long bytes, boolean isSizeTiered) implements Dataset {
            public Generated(long bytes) {
                this(bytes, false);
            }

            @Override
            public String toString() {
                return ByteFormat.text(bytes) + ", generated" + (isSizeTiered ? ", size-tiered" : "");
            }
        }
    }

    /** Writes while the cluster changes, 1 to 100,000 a second. */
    public record Load(int writesPerSecond, Consistency consistency) {
        private static final int MAX_RATE = 100_000;

        public Load {
            if (writesPerSecond < 1 || writesPerSecond > MAX_RATE) {
                throw new IllegalArgumentException(
                        "--load: " + writesPerSecond + " writes/s (expected: 1 to " + MAX_RATE + ")");
            }
        }
    }

    /**
     * What is made to go wrong, and how the run is to end all the same.
     *
     * @param retries how many times the operation is begun again after it failed, all faults healed
     * @param expect how the run is to end
     */
    public record FaultPhase(List<Fault> faults, int retries, ExpectedEnd expect) {
        /** All goes well. */
        public static final FaultPhase NONE = new FaultPhase(List.of(), 0, ExpectedEnd.INSTALLED);

        public FaultPhase {
            faults = List.copyOf(faults);
        }
    }

    /** The replacement of a node that dies, without writes or other faults. */
    public static ScenarioOptions replace(int nodes, int replicationFactor, Dataset dataset) {
        return replace(nodes, replicationFactor, dataset, Optional.empty());
    }

    /** The replacement of a node that dies, without other faults. */
    public static ScenarioOptions replace(int nodes, int replicationFactor, Dataset dataset, Optional<Load> load) {
        return new ScenarioOptions(
                Operation.REPLACE,
                Shape.simple(nodes, replicationFactor),
                1,
                true,
                dataset,
                load,
                LinkOptions.PLAIN,
                FaultPhase.NONE);
    }

    public ScenarioOptions {
        if (dataset instanceof Dataset.Generated generated && generated.bytes() < MIN_GENERATED_BYTES) {
            throw new IllegalArgumentException("--size: " + generated.bytes() + " bytes (expected: at least "
                    + ByteFormat.text(MIN_GENERATED_BYTES) + ")");
        }
        int nodes = shape.nodesInDc();
        switch (operation) {
            case REPLACE, REPAIR ->
                shape.requireReplicas(
                        2, nodes, "the number of nodes; data without a second replica dies with its node");
            case REMOVENODE ->
                shape.requireReplicas(
                        2, nodes - 1, "the nodes that are left; data without a second replica dies with its node");
            case REBUILD ->
                shape.requireReplicas(
                        shape.dcs().size() > 1 ? 1 : 2, nodes, "the number of nodes; somebody else must have the data");
            case DECOMMISSION, TABLET_MIGRATION ->
                shape.requireReplicas(1, nodes - 1, "the nodes without the last one");
            case MOVE ->
                shape.requireReplicas(1, nodes - 1, "fewer than the nodes; else each holds all, wherever it stands");
            case BOOTSTRAP -> shape.requireReplicas(1, nodes, "the number of nodes");
        }
        if (shape.dataDirectories() == 1
                && faults.faults().stream().anyMatch(fault -> fault.fault() == Fault.Kind.DISK_LOST)) {
            throw new IllegalArgumentException(
                    "--data-directories: 1 with a fault disk_lost (expected: 2 or more, or nothing is left to write to)");
        }
        requireNodes(faults.faults(), shape.nodes() + joining(operation, count));
        if (operation == Operation.MOVE && shape.vnodes() > 1) {
            throw new IllegalArgumentException(
                    "--vnodes: " + shape.vnodes() + " (expected: 1; a node with many tokens cannot move)");
        }
        if (operation == Operation.TABLET_MIGRATION && load.isPresent()) {
            throw new IllegalArgumentException("--load: not with tablets yet (expected: another operation)");
        }
        if (operation == Operation.TABLET_MIGRATION && (count < 1 || count > ClusterNodes.TABLETS)) {
            throw new IllegalArgumentException(
                    "--count: " + count + " (expected: 1 to " + ClusterNodes.TABLETS + ", the number of tablets)");
        }
        if (shape.nodes() + (operation == Operation.BOOTSTRAP ? count : 1) > Shape.MAX_NODES + 1) {
            throw new IllegalArgumentException("--count: " + count + " (expected: at most " + (Shape.MAX_NODES + 1)
                    + " nodes, with those that join)");
        }
    }

    private static int joining(Operation operation, int count) {
        return switch (operation) {
            case BOOTSTRAP -> count;
            case REPLACE -> 1;
            case REBUILD, DECOMMISSION, REMOVENODE, MOVE, REPAIR, TABLET_MIGRATION -> 0;
        };
    }

    private static void requireNodes(List<Fault> faults, int last) {
        for (Fault fault : faults) {
            for (String name : fault.names()) {
                if (IntStream.rangeClosed(1, last).noneMatch(number -> name.equals("node" + number))) {
                    throw new IllegalArgumentException("fault '" + fault + "': no " + name
                            + " (expected: source, receiver, or node1 to node" + last + ")");
                }
            }
        }
    }

    /** What is not of the shape of the cluster or its data, by the names of a scenario file. */
    Map<String, String> others() {
        Map<String, String> others = new LinkedHashMap<>();
        others.put("count", Integer.toString(count));
        others.put("strict", Boolean.toString(isStrict));
        others.put("data_directories", Integer.toString(shape.dataDirectories()));
        load.ifPresent(writes -> others.put("consistency", writes.consistency().name()));
        others.put("tls", Boolean.toString(links.areEncrypted()));
        others.put("namespaces", Boolean.toString(links.areNamespaces()));
        links.bytesPerSecond().ifPresent(rate -> others.put("link_rate", ByteFormat.rate((double) rate)));
        others.put("faults", faults.faults().stream().map(Fault::describe).collect(Collectors.joining(", ")));
        others.put("retries", Integer.toString(faults.retries()));
        others.put("expect", faults.expect().toString());
        return others;
    }
}
