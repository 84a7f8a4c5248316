package io.sluice.harness.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A scenario file: the options of a scenario, each of which the command line may override. Immutable.
 *
 * @param size in bytes
 * @param load writes per second
 */
public record ScenarioFile(
        Optional<Integer> nodes,
        Optional<Integer> replicationFactor,
        Optional<Path> data,
        Optional<Long> size,
        Optional<Path> workDir,
        Optional<Integer> load) {
    /** Bounds of the number of nodes. */
    public static final int MAX_NODES = 64;

    static final List<Setting> SETTINGS = List.of(
            Setting.optional("nodes", ValueType.integer(2, MAX_NODES)),
            Setting.optional("replication_factor", ValueType.integer(1, MAX_NODES)),
            Setting.optional("data", ValueType.PATH),
            Setting.optional("size", ValueType.BYTES),
            Setting.optional("work_dir", ValueType.PATH),
            Setting.optional("load", ValueType.integer(1, 100_000)));

    /** A file that says nothing. */
    public static final ScenarioFile NONE = new ScenarioFile(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Reads and checks a file.
     *
     * @throws ConfigException naming file, line and what is allowed
     */
    public static ScenarioFile read(Path path) {
        return Binding.bind(ConfigFile.read(path, SETTINGS).values(SETTINGS), ScenarioFile.class);
    }
}
