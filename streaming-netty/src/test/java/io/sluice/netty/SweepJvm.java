package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.FreePort;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * How processes of a sweep are started: by the hundred, each for one plan, so that nearly all of a case would be the
 * start of its process. Immutable.
 *
 * @param flags of the virtual machine, the class path among them
 */
record SweepJvm(List<String> flags) {
    private static final List<String> SMALL = List.of("-Xmx96m", "-XX:+UseSerialGC");
    private static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Dio.netty.jfr.enabled=false");

    SweepJvm {
        flags = List.copyOf(flags);
    }

    /** The classes of this process, where they lie. */
    static SweepJvm plain() {
        return of(System.getProperty("java.class.path"), List.of());
    }

    /**
     * One with all classes that a node needs at either end in an archive of the virtual machine, which takes them from
     * jars alone.
     *
     * @param folder where jars and archive are made
     */
    static SweepJvm archived(Path folder) throws IOException, InterruptedException {
        String jars = jars(Files.createDirectories(folder));
        Path archive = folder.resolve("classes.jsa");
        List<String> writing = new ArrayList<>(SHORT_LIVED);
        writing.add("-XX:ArchiveClassesAtExit=" + archive);
        sendAndFetch(folder, of(jars, writing));
        List<String> reading = new ArrayList<>(SHORT_LIVED);
        reading.add("-XX:SharedArchiveFile=" + archive);
        assertThat(archive).isNotEmptyFile();
        return of(jars, reading);
    }

    private static SweepJvm of(String classPath, List<String> more) {
        List<String> flags = new ArrayList<>(SMALL);
        flags.addAll(more);
        flags.addAll(List.of("-Dlogback.configurationFile=quiet.xml", "-cp", classPath));
        return new SweepJvm(flags);
    }

    private static String jars(Path folder) {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (Files.isDirectory(Path.of(entry))) {
                Path jar = folder.resolve(entries.size() + ".jar");
                int status = ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(System.out, System.err, "--create", "--file", jar.toString(), "-C", entry, ".");
                assertThat(status).as("jar of " + entry).isZero();
                entries.add(jar.toString());
            } else {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    /** A process that sends two tables, then receives them: as slices, then as rows. */
    private static void sendAndFetch(Path folder, SweepJvm jvm) throws IOException, InterruptedException {
        Path data = folder.resolve("source");
        TestTables.store(data, 2, 16 << 10);
        SweepNode other = SweepNode.start("other", folder, plain());
        SweepNode node = SweepNode.start("node", folder, jvm);
        try {
            for (boolean areSlices : new boolean[] {true, false}) {
                run(node, other, data, folder.resolve("to-other-" + areSlices), areSlices);
                run(other, node, data, folder.resolve("to-node-" + areSlices), areSlices);
            }
            assertThat(node.end()).as("exit code").isZero();
        } finally {
            node.kill();
            other.kill();
        }
    }

    private static void run(SweepNode from, SweepNode to, Path data, Path target, boolean areSlices)
            throws IOException, InterruptedException {
        TestTables.store(target, 2, 0);
        int port = FreePort.onLoopback();
        String none = " EIO " + Integer.MAX_VALUE + " " + areSlices;
        assertThat(from.say("start " + data + " " + port + none)).isEqualTo("started");
        assertThat(to.say("start " + target + " " + FreePort.onLoopback() + none))
                .isEqualTo("started");
        assertThat(to.say("fetch " + from.name + " " + port)).startsWith("result true true");
        assertThat(from.say("stop")).isEqualTo("stopped");
        assertThat(to.say("stop")).isEqualTo("stopped");
    }
}
