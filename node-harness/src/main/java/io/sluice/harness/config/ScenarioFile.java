package io.sluice.harness.config;

import io.sluice.harness.report.ExpectedEnd;
import io.sluice.netty.options.DeclaredOptions;
import io.sluice.netty.options.ValueType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A scenario file: what happens to a cluster. Command-line options override its keys. Immutable.
 *
 * @param dcs names of data centres, assigned to nodes in turn
 * @param racks in each data centre, assigned to nodes in turn
 * @param vnodes tokens of each node
 * @param dataDirectories of each node, each treated as a volume
 * @param count number of nodes or tablets that the operation affects
 * @param strict bootstrap: whether each range comes from the node that loses it
 * @param size in bytes
 * @param load writes per second
 * @param throughput limit of each node for sending, in bytes per second
 * @param tls whether nodes use TLS with each other
 * @param namespaces whether each node has its own network namespace
 * @param linkRate rate of each namespace's link, in bytes per second
 * @param expect expected outcome
 * @param retries how many times the operation is repeated, after all faults have been healed
 * @param repeat how many times the whole scenario runs
 * @param baseline what each run is compared with
 */
public record ScenarioFile(
        Optional<Operation> operation,
        Optional<Integer> nodes,
        Optional<Integer> replicationFactor,
        Optional<List<String>> dcs,
        Optional<Integer> racks,
        Optional<Integer> vnodes,
        Optional<Integer> dataDirectories,
        Optional<Integer> count,
        Optional<Boolean> strict,
        Optional<Path> data,
        Optional<Long> size,
        Optional<SSTables> sstables,
        Optional<Path> workDir,
        Optional<Integer> load,
        Optional<Long> throughput,
        Optional<Integer> keepAlive,
        Optional<Boolean> tls,
        Optional<Boolean> namespaces,
        Optional<Long> linkRate,
        Optional<ExpectedEnd> expect,
        Optional<Integer> retries,
        Optional<Integer> repeat,
        Optional<Baseline> baseline,
        List<Fault> faults) {
    /** Bounds of the number of nodes, each of which has an address of 127.0.0.0/24. */
    public static final int MAX_NODES = 120;
    /** Bounds of the number of data directories of a node. */
    public static final int MAX_DATA_DIRECTORIES = 16;
    /** Most tokens of a node. */
    public static final int MAX_VNODES = 256;

    /** Bounds of the number of runs. */
    public static final int MAX_REPEATS = 10_000;

    /** The same scenario with other settings, to compare it with. */
    public enum Baseline {
        /** Every SSTable travels as rows, which the receiver writes anew: what streaming is without zero-copy. */
        ROWS;

        /** Keys of sluice.yaml in which it differs, with their values. */
        public Map<String, String> settings() {
            return switch (this) {
                case ROWS ->
                    Map.of(
                            DeclaredOptions.STREAM_ENTIRE_SSTABLES.key(),
                            "false",
                            DeclaredOptions.STREAM_SLICES.key(),
                            "false");
            };
        }
    }

    /** What happens to the cluster. */
    public enum Operation {
        BOOTSTRAP(OperationName.BOOTSTRAP),
        REPLACE(OperationName.REPLACE),
        REBUILD(OperationName.REBUILD),
        DECOMMISSION(OperationName.DECOMMISSION),
        REMOVENODE(OperationName.REMOVENODE),
        MOVE(OperationName.MOVE),
        REPAIR(OperationName.REPAIR),
        TABLET_MIGRATION(OperationName.MIGRATE_TABLETS);

        private final OperationName called;

        Operation(OperationName called) {
            this.called = called;
        }

        /** The name of its command, which is its name everywhere. */
        public String command() {
            return called.word();
        }

        /** Whether somebody means this operation by {@code text}. */
        boolean isMeantBy(String text) {
            return called.isMeantBy(text);
        }
    }

    /** How generated data is distributed over SSTables. */
    public enum SSTables {
        /** SSTables do not overlap. */
        LEVELED,
        /** Each SSTable spans all ranges of a node. */
        SIZE_TIERED
    }

    static final List<Setting> SETTINGS = List.of(
            Setting.optional("operation", ValueTypes.OPERATION),
            Setting.optional("nodes", ValueType.integer(2, MAX_NODES)),
            Setting.optional("replication_factor", ValueType.integer(1, MAX_NODES)),
            Setting.optional("dcs", ValueTypes.WORDS),
            Setting.optional("racks", ValueType.integer(1, MAX_NODES)),
            Setting.optional("vnodes", ValueType.integer(1, MAX_VNODES)),
            Setting.optional("data_directories", ValueType.integer(1, MAX_DATA_DIRECTORIES)),
            Setting.optional("count", ValueType.integer(1, MAX_NODES)),
            Setting.optional("strict", ValueType.FLAG),
            Setting.optional("data", ValueType.PATH),
            Setting.optional("size", ValueType.BYTES),
            Setting.optional("sstables", ValueTypes.oneOf(SSTables.values())),
            Setting.optional("work_dir", ValueType.PATH),
            Setting.optional("load", ValueType.integer(1, 100_000)),
            Setting.optional("throughput", ValueType.RATE),
            Setting.optional("keep_alive", ValueTypes.seconds("1s", "1h")),
            Setting.optional("tls", ValueType.FLAG),
            Setting.optional("namespaces", ValueType.FLAG),
            Setting.optional("link_rate", ValueType.RATE),
            Setting.optional("expect", ValueTypes.END),
            Setting.optional("retries", ValueType.integer(0, 10)),
            Setting.optional("repeat", ValueType.integer(1, MAX_REPEATS)),
            Setting.optional("baseline", ValueTypes.oneOf(Baseline.values())));

    private static final String FAULTS = "faults";
    /** A process that ended stays so; a file that is damaged is mended when the operation has ended. */
    private static final Set<Object> END_WITHOUT_TIME =
            Set.of(Fault.Kind.KILL.name(), Fault.Kind.TERMINATE.name(), Fault.Kind.CORRUPT.name());

    private static final Set<Object> HAVE_RATES = Set.of(Fault.Kind.SLOW.name(), Fault.Kind.SLOW_DISK.name());

    /** An empty file. */
    public static final ScenarioFile NONE = ConfigFile.bind(Map.of(FAULTS, List.of()), ScenarioFile.class);

    public ScenarioFile {
        faults = List.copyOf(faults);
    }

    /**
     * Reads and checks a file.
     *
     * @throws ConfigException naming file, line and what is allowed
     */
    public static ScenarioFile read(Path path) {
        ConfigFile file = ConfigFile.read(path, SETTINGS, Map.of(FAULTS, Fault.SETTINGS));
        Map<String, Object> values = file.values(SETTINGS);
        List<Map<String, Object>> faults = new ArrayList<>();
        for (ConfigFile fault : file.lists().getOrDefault(FAULTS, List.of())) {
            Map<String, Object> said = fault.values(Fault.SETTINGS);
            Object kind = said.get("fault");
            if (kind == null) {
                throw new ConfigException(file.place(FAULTS) + ": a fault without 'fault:' (expected: "
                        + Fault.SETTINGS.get(0).type().expected() + ")");
            }
            requireOnly(fault, "rate", kind, Fault.Kind.SLOW, Fault.Kind.SLOW_DISK);
            requireOnly(fault, "with", kind, Fault.Kind.CUT);
            if (END_WITHOUT_TIME.contains(kind) && said.containsKey("lasts")) {
                throw new ConfigException(fault.place("lasts") + ": lasts: not of a fault "
                        + fault.texts().get("fault"));
            }
            if (Objects.equals(said.get("node"), said.get("with"))) {
                throw new ConfigException(fault.place("with") + ": with: " + said.get("with")
                        + " itself (expected: the other end of what is cut)");
            }
            if (HAVE_RATES.contains(kind) && !said.containsKey("rate")) {
                throw new ConfigException(fault.place("fault") + ": "
                        + fault.texts().get("fault") + " without 'rate:' (expected: a rate as 5MiB/s)");
            }
            faults.add(said);
        }
        values.put(FAULTS, faults);
        return ConfigFile.bind(values, ScenarioFile.class);
    }

    private static void requireOnly(ConfigFile fault, String key, Object kind, Fault.Kind... meant) {
        if (fault.texts().containsKey(key) && Arrays.stream(meant).noneMatch(one -> kind.equals(one.name()))) {
            throw new ConfigException(fault.place(key) + ": " + key + ": only of a fault "
                    + Arrays.stream(meant)
                            .map(one -> one.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(" or ")));
        }
    }
}
