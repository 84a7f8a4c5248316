package io.sluice.interop.live;

import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.interop.live.MatrixNode.Table;
import io.sluice.interop.live.MatrixShapes.Shape;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Tools of a release that change tables of a node which does not run. Stateless. */
final class MatrixTools {
    private static final String SIZE_TIERED = "{'class': 'SizeTieredCompactionStrategy'}";
    private static final String LEVELED = "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 1}";

    private MatrixTools() {}

    /**
     * One tool, and the table that it gets.
     *
     * @param main its class, without the package
     * @param options before the table
     * @param takesFiles whether it is told Data.db files; else keyspace and table
     * @param isCompacted whether its table is compacted before
     * @param old version of 3.x of the table's files; empty if the node writes them
     */
    record Tool(
            String name,
            String main,
            List<String> options,
            boolean takesFiles,
            Shape shape,
            String strategy,
            boolean isCompacted,
            Optional<String> old) {
        private static Tool of(String name, String main, boolean takesFiles, String... options) {
            return new Tool(
                    name,
                    main,
                    List.of(options),
                    takesFiles,
                    MatrixShapes.usual(),
                    SIZE_TIERED,
                    false,
                    Optional.empty());
        }

        private Tool with(Shape other, String otherStrategy, boolean compacted) {
            return new Tool(name, main, options, takesFiles, other, otherStrategy, compacted, Optional.empty());
        }

        private Tool withOld(String version) {
            return new Tool(
                    name, main, options, takesFiles, MatrixShapes.old(), strategy, isCompacted, Optional.of(version));
        }
    }

    /** All of them. */
    static List<Tool> all() {
        return List.of(
                Tool.of("sstablescrub", "StandaloneScrubber", false),
                Tool.of("sstablesplit", "StandaloneSplitter", true, "--no-snapshot", "-s", "1")
                        .with(MatrixShapes.megabytes(), SIZE_TIERED, true),
                Tool.of("sstablerepairedset", "SSTableRepairedAtSetter", true, "--really-set", "--is-repaired"),
                Tool.of("sstablelevelreset", "SSTableLevelResetter", false, "--really-reset")
                        .with(MatrixShapes.usual(), LEVELED, true),
                Tool.of("sstableofflinerelevel", "SSTableOfflineRelevel", false)
                        .with(MatrixShapes.usual(), LEVELED, false),
                Tool.of("sstableupgrade of me", "StandaloneUpgrader", false).withOld("me"));
    }

    /**
     * Runs a tool.
     *
     * @param folder of the table
     * @throws IOException if it fails, or changes nothing
     */
    static void run(Tool tool, LocalNode node, ClassPath classPath, Table table, Path folder)
            throws IOException, InterruptedException {
        Set<String> before = contents(folder);
        Path conf = node.yamlFile().resolveSibling("");
        Path home = node.data().resolveSibling("");
        List<String> command =
                new ArrayList<>(List.of(JavaCommand.executable(), "@" + conf.resolve("jvm.options"), "-Xmx384m"));
        if (classPath.jar("cassandra-all-4").isPresent()) {
            classPath.jar("jamm-").ifPresent(jamm -> command.add("-javaagent:" + jamm));
        }
        command.addAll(List.of(
                "-Dcassandra.config=" + node.yamlFile().toUri(),
                "-Dcassandra.storagedir=" + home,
                "-Dcassandra.logdir=" + home.resolve("logs"),
                "-Dlogback.configurationFile=" + conf.resolve("logback.xml"),
                "-cp",
                conf + File.pathSeparator + classPath,
                "org.apache.cassandra.tools." + tool.main()));
        command.addAll(tool.options());
        command.addAll(tool.takesFiles() ? dataFiles(folder) : List.of(table.keyspace(), table.name()));
        List<String> printed = StartedProcess.run(command);
        if (contents(folder).equals(before)) {
            throw new IOException("it changes nothing, and prints " + printed);
        }
    }

    private static List<String> dataFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith("-" + Component.DATA.fileName()))
                    .sorted()
                    .toList();
        }
    }

    /** What lies in all files, or those of one component, whatever they are called. */
    static Set<String> contents(Path folder, Component... components) throws IOException {
        Set<String> contents = new HashSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (components.length == 0 || file.toString().endsWith("-" + components[0].fileName())) {
                    contents.add(
                            MoreFiles.asByteSource(file).hash(Hashing.sha256()).toString());
                }
            }
        }
        return contents;
    }

    /** The files of {@link MatrixShapes#old} in a version. */
    static Path old(String version) throws IOException {
        Path fixture = Path.of("..", "sstable-format", "src", "test", "resources", "old", "wide", version);
        return TableDirectory.find(fixture).get(0).path();
    }
}
