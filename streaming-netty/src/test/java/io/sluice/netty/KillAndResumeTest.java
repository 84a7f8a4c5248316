package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
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
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
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

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    /** A running node, and what it printed last. */
    private final class Running {
        final Process process;
        private final Thread reader;
        volatile long received;
        volatile long resumed;
        volatile long sent;
        volatile String result = "";

        Running(String... arguments) throws IOException {
            process = JavaCommand.process(
                            List.of("-Xmx128m", "-Dlogback.configurationFile=quiet.xml"), NodeProcess.class, (Object[])
                                    arguments)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            processes.add(process);
            reader = new Thread(this::read, "output of " + arguments[0]);
            reader.start();
        }

        private void read() {
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    List<String> words = List.of(line.split(" ", -1));
                    switch (words.get(0)) {
                        case "sent" -> sent = Long.parseLong(words.get(1));
                        case "result" -> result = line;
                        case "bytes" -> {
                            received = Math.max(received, Long.parseLong(words.get(1)));
                            resumed = Math.max(resumed, Long.parseLong(words.get(2)));
                        }
                        default -> System.out.println(line);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
            reader.join();
        }
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

    @ParameterizedTest
    @ValueSource(strings = {"receiver", "source"})
    void little_travels_twice_when_one_of_two_is_killed_three_times(String victim) throws Exception {
        littleTravelsTwice(victim, 3, 48L << 20);
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
        Running source = new Running(sourceArguments);
        Running receiver = new Running(receiverArguments);
        Random random = new Random(victim.hashCode());
        int spread = (int) (2 * (total / wanted - EXTENT_BYTES));
        long sentByDead = 0;
        int kills = 0;
        long reached = 0;
        StringBuilder moments = new StringBuilder();
        while (kills < wanted && receiver.result.isEmpty()) {
            Running now = receiver;
            // At least one extent was received whole between two kills: four attempts in a row that bring none are the
            // last.
            long mark = Math.max(reached, Math.max(now.received, now.resumed)) + EXTENT_BYTES + random.nextInt(spread);
            await().until(() -> now.received > mark || !now.result.isEmpty());
            if (!now.result.isEmpty()) {
                break;
            }
            kills++;
            reached = now.received;
            moments.append(' ').append(100 * reached / total);
            if (victim.equals("receiver")) {
                receiver.kill();
                receiver = new Running(receiverArguments);
            } else {
                source.kill();
                sentByDead += source.sent;
                source = new Running(sourceArguments);
            }
        }
        Running last = receiver;
        await().until(() -> !last.result.isEmpty() || !last.process.isAlive());
        long sent = sentByDead + source.sent;
        System.out.printf(
                "| %s | %d | at%s %% | %,d | %,d | %,d (%.1f %%) |%n",
                victim, kills, moments, total, sent, sent - total, 100.0 * (sent - total) / total);

        assertThat(last.result).contains("result true");
        assertThat(kills).isGreaterThanOrEqualTo(wanted / 2);
        assertThat(sent).isLessThan(total + kills * WINDOW_BYTES);
        assertThat(ContentDigest.of(open(to), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(open(from), TokenRanges.FULL));
    }
}
