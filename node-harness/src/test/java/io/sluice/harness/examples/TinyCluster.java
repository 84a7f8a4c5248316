package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Processes of {@code examples/tiny-database}: two that live, one that is dead, and one in its place. */
final class TinyCluster implements AutoCloseable {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();

    private final Path work;
    private final Path java;
    private final String classPath;
    private final Path fixture;
    private final String members;
    private final String d = "d=" + FreePort.onLoopback();
    private final List<StartedProcess> processes = new ArrayList<>();

    /** Starts the two that live; both have all SSTables of a fixture. */
    TinyCluster(Path work, Path java, Stream<Path> jars, String fixture) throws IOException, InterruptedException {
        this.work = work;
        this.java = java;
        this.classPath = jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        this.fixture = TableDirectory.find(FIXTURES.resolve(fixture).resolve("nb"))
                .get(0)
                .path();
        List<String> own = List.of("a=" + FreePort.onLoopback(), "b=" + FreePort.onLoopback());
        this.members = String.join(",", own) + ",c=" + FreePort.onLoopback();
        List<StartedProcess> living = new ArrayList<>();
        for (String node : own) {
            Path users =
                    Files.createDirectories(work.resolve(node.substring(0, 1)).resolve("users"));
            try (Stream<Path> files = Files.list(this.fixture)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, users.resolve(file.getFileName()));
                }
            }
            living.add(start("tiny.TinyDatabase", node, members));
        }
        for (StartedProcess node : living) {
            assertThat(untilReady(node)).last().asString().startsWith("ready, reads [nb-");
        }
    }

    private StartedProcess start(String main, String self, String ring, String... dead) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(java.toString(), "-XX:TieredStopAtLevel=1", "-cp", classPath, main));
        command.addAll(List.of(work.resolve(self.substring(0, 1)).toString(), self, ring));
        command.addAll(List.of(dead));
        StartedProcess process = StartedProcess.start(new ProcessBuilder(command)
                .redirectError(work.resolve(self.substring(0, 1) + ".log").toFile()));
        processes.add(process);
        return process;
    }

    private List<String> untilReady(StartedProcess process) throws IOException, InterruptedException {
        try {
            return process.linesUntil(line -> line.startsWith("ready"));
        } catch (IOException e) {
            throw new AssertionError(logs(), e);
        }
    }

    private String logs() throws IOException {
        StringBuilder logs = new StringBuilder();
        try (Stream<Path> files = Files.list(work)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".log")).toList()) {
                logs.append(file.getFileName()).append(":\n").append(Files.readString(file));
            }
        }
        return logs.toString();
    }

    /** Starts the one in the place of the dead one; returns what it has printed until it serves. */
    List<String> replace(String main) throws IOException, InterruptedException {
        return untilReady(start(main, d, members, "c"));
    }

    /** Ends the first, which has the whole table, and starts another in its place: its sources are b and d. */
    List<String> replaceAnother() throws IOException, InterruptedException {
        end(processes.remove(0));
        String ring = members.replaceFirst("c=.*", d);
        return untilReady(start("tiny.TinyDatabase", "e=" + FreePort.onLoopback(), ring, "a"));
    }

    /**
     * The one in the place of the dead one has the rows that the dead one had, and all files of others are unpinned.
     */
    void assertReplaced() throws Exception {
        assertReplaced("d", "c", "a", "b");
    }

    /** The same of the second replacement. */
    void assertReplacedAnother() throws Exception {
        assertReplaced("e", "a", "b", "d");
    }

    private void assertReplaced(String joined, String dead, String... sources) throws Exception {
        Ring ring = new Ring(
                Stream.concat(Stream.of(sources), Stream.of(dead))
                        .map(TinyCluster::node)
                        .toList(),
                2);
        TokenRanges wanted = ring.rangesOf(node(dead));
        Path users = work.resolve(joined).resolve("users");
        assertThat(ContentDigest.of(open(users), TokenRanges.FULL)).isEqualTo(ContentDigest.of(open(fixture), wanted));
        List<String> live = open(users).stream()
                .map(sstable -> sstable.descriptor().fileName(io.sluice.sstable.component.Component.DATA))
                .sorted()
                .toList();
        assertThat(Files.readAllLines(users.resolve("LIVE"))).isEqualTo(live).isNotEmpty();
        close();
        for (String source : sources) {
            assertThat(work.resolve(source).resolve("pins"))
                    .satisfiesAnyOf(
                            pins -> assertThat(pins).doesNotExist(),
                            pins -> assertThat(pins).isEmptyDirectory());
        }
    }

    private static Node node(String name) {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Node(id, name, new Address("127.0.0.1", 1), List.of(new Token(id.getMostSignificantBits())));
    }

    private static List<SSTable> open(Path folder) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : new TableDirectory(folder, "shop", "users", new UUID(7, 7)).descriptors()) {
            sstables.add(SSTable.open(folder, descriptor));
        }
        return sstables;
    }

    /** Ends what each reads, and so the process. */
    @Override
    public void close() throws IOException {
        for (StartedProcess process : processes) {
            end(process);
        }
    }

    private void end(StartedProcess process) throws IOException {
        process.endInput();
        try {
            process.process().onExit().orTimeout(20, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            process.close();
            throw new AssertionError("a process did not end with its input\n" + logs(), e);
        }
    }
}
