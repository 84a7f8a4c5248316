package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two real processes, of which one is killed with SIGKILL at random moments and started again: at the end everything is
 * there, and little of it has travelled twice. Prints how much, as rows of the table in docs/sessions.md.
 */
@Timeout(300)
class KillAndResumeTest {
    private static final long BYTES_PER_SECOND = 24L << 20;

    private static final int EXTENT_BYTES = 8 << 20;

    /** What a connection has on its way: four extents, and one that is half written. */
    private static final long WINDOW_BYTES = 5L * EXTENT_BYTES;

    @TempDir
    Path temp;

    private final List<StartedProcess> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(StartedProcess::close);
    }

    private StartedProcess start(String... arguments) throws IOException {
        List<String> options = List.of("-Xmx128m", "-Dlogback.configurationFile=quiet.xml");
        StartedProcess process = StartedProcess.java(options, NodeProcess.class, (Object[]) arguments);
        processes.add(process);
        return process;
    }

    /** A number of a line of this kind, 0 of any other line. */
    private static long number(String line, String kind, int place) {
        String[] words = line.split(" ", -1);
        return words[0].equals(kind) ? Long.parseLong(words[place]) : 0;
    }

    /** The largest such number so far. */
    private static long most(StartedProcess process, String kind, int place) {
        return process.lines().stream()
                .mapToLong(line -> number(line, kind, place))
                .max()
                .orElse(0);
    }

    private static String freePort() throws IOException {
        return Integer.toString(FreePort.onLoopback());
    }

    private Path directory(String node) throws IOException {
        return Files.createDirectories(temp.resolve(node).resolve("ks").resolve("t-00000000000000000000000000000042"));
    }

    private static List<SSTable> open(Path directory) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : TableDirectory.find(directory).get(0).descriptors()) {
            sstables.add(SSTable.open(directory, descriptor));
        }
        return sstables;
    }

    @Test
    void little_travels_twice_when_the_receiver_is_killed_three_times() throws Exception {
        littleTravelsTwice("receiver", 3, 48L << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"receiver", "source"})
    @Tag("full")
    void little_travels_twice_when_one_of_two_is_killed_ten_times(String victim) throws Exception {
        littleTravelsTwice(victim, 10, 128L << 20);
    }

    private void littleTravelsTwice(String victim, int wanted, long bytes) throws Exception {
        Path from = directory("source");
        Path to = directory("receiver");
        new DataSetWriter(DataSet.ofBytes(3, bytes), Version.NB, WriterOptions.DEFAULTS).write(from, 4);
        long total = 0;
        for (SSTable sstable : open(from)) {
            total += sstable.bytesOnDisk();
        }
        String rate = Long.toString(BYTES_PER_SECOND);
        String[] sourceArguments = {"source", freePort(), temp.resolve("source").toString(), rate};
        String[] receiverArguments = {
            "receiver", freePort(), temp.resolve("receiver").toString(), rate, "source", sourceArguments[1]
        };
        StartedProcess source = start(sourceArguments);
        StartedProcess receiver = start(receiverArguments);
        Random random = new Random(victim.hashCode());
        int spread = (int) (2 * (total / wanted - EXTENT_BYTES));
        long sentByDead = 0;
        int kills = 0;
        long reached = 0;
        StringBuilder moments = new StringBuilder();
        String last = "";
        while (true) {
            // At least one extent was received whole between two kills: four attempts in a row that bring none are the
            // last.
            long known = Math.max(reached, Math.max(most(receiver, "bytes", 1), most(receiver, "bytes", 2)));
            long mark = kills == wanted ? Long.MAX_VALUE : known + EXTENT_BYTES + random.nextInt(spread);
            last = receiver.awaitLine(line -> line.startsWith("result") || number(line, "bytes", 1) > mark);
            if (last.startsWith("result")) {
                break;
            }
            kills++;
            reached = number(last, "bytes", 1);
            moments.append(' ').append(100 * reached / total);
            if (victim.equals("receiver")) {
                receiver.kill();
                receiver = start(receiverArguments);
            } else {
                source.kill();
                sentByDead += most(source, "sent", 1);
                source = start(sourceArguments);
            }
        }
        long sent = sentByDead + most(source, "sent", 1);
        System.out.printf(
                "| %s | %d | at%s %% | %,d | %,d | %,d (%.1f %%) |%n",
                victim, kills, moments, total, sent, sent - total, 100.0 * (sent - total) / total);

        assertThat(last).contains("result true");
        assertThat(kills).isGreaterThanOrEqualTo(wanted / 2);
        assertThat(sent).isLessThan(total + kills * WINDOW_BYTES);
        assertThat(ContentDigest.of(open(to), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(open(from), TokenRanges.FULL));
    }
}
