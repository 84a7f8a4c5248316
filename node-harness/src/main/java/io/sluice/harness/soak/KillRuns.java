package io.sluice.harness.soak;

import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Mark;
import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a node again and again, each time in new processes of which one or two are killed at a random moment. A
 * killed process is restarted, and a failed operation is repeated; at the end contents are compared. Confined to the
 * thread that runs it.
 */
public final class KillRuns {
    private static final Logger LOG = LoggerFactory.getLogger(KillRuns.class);
    private static final List<Victim> VICTIMS = List.of(Victim.values());
    private static final long MOST_SECONDS = 600;
    private static final long ORPHAN_SECONDS = 30;
    private static final String THROUGHPUT = "4MiB/s";
    // Processes live for seconds: the second compiler would take half of their time and never pay off.
    private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1";
    /** As the start script's: an archive that does not fit is not worth a word. Java 17 fails of the second name. */
    private static final String QUIET = "-Xlog:disable -Xlog:all=error,cds*=off"
            + (Runtime.version().feature() < 24 ? "" : ",aot*=off") + ":stderr";

    private final Path folder;
    private final Path config;
    private final String size;
    private final SplittableRandom random;
    private final long seed;
    private volatile @Nullable Process running;

    /**
     * Prepares the runs.
     *
     * @param folder of the runs, one after the other, as of {@code --work-dir}
     * @param config of the nodes, as of {@code --config}
     * @param size of the data, as of {@code --size}
     */
    public KillRuns(Path folder, Path config, String size, long seed) {
        this.folder = folder;
        this.config = config.toAbsolutePath();
        this.size = size;
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Runs {@code count} kills, each kind of victim in turn.
     *
     * @param listener receives, after each kill, the report so far, which remains if the process is killed
     * @throws IOException if a run cannot be started
     */
    public KillReport run(int count, Consumer<KillReport> listener) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Thread hook = new Thread(this::cancel, "sluice-cancel");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return runAll(count, listener);
        } finally {
            forget(hook);
        }
    }

    /** Kills the command; its nodes end with it. */
    private void cancel() {
        Process last = running;
        if (last != null) {
            last.destroy();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            LOG.info("cancelled");
        }
    }

    private KillReport runAll(int count, Consumer<KillReport> listener) throws IOException, InterruptedException {
        long start = System.nanoTime();
        quiesce(); // makes the data, which takes longer than a run
        long quiesceMillis = quiesce();
        List<Kill> kills = new ArrayList<>();
        int tooLate = 0;
        while (kills.size() < count) {
            Victim victim = VICTIMS.get(kills.size() % VICTIMS.size());
            Kill kill = victim == Victim.COORDINATOR
                    ? killCoordinator(kills.size() + 1, quiesceMillis)
                    : killNodes(kills.size() + 1, victim);
            if (kill.isTooLate()) {
                if (++tooLate > count) {
                    throw new IOException("most runs ended before the kill (increase --size)");
                }
                continue;
            }
            kills.add(kill);
            listener.accept(new KillReport(seed, size, tooLate, seconds(start), kills));
        }
        return new KillReport(seed, size, tooLate, seconds(start), kills);
    }

    /** A run without kills: generates the data if there is none, and measures the duration. */
    private long quiesce() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = start(List.of());
        if (!end(process) || !report().verified()) {
            throw new IOException("a run without kills failed; see " + output());
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private Kill killNodes(int number, Victim victim) throws IOException, InterruptedException {
        // The source first: when the receiver is killed the attempt ends, and faults that have not come are dropped.
        List<Victim> nodes = victim == Victim.BOTH ? List.of(Victim.SOURCE, Victim.RECEIVER) : List.of(victim);
        int[] percents = random.ints(nodes.size(), 0, 95).sorted().toArray();
        List<String> faults = new ArrayList<>();
        Map<Victim, Double> planned = new EnumMap<>(Victim.class);
        for (int i = 0; i < percents.length; i++) {
            faults.add("  - fault: kill\n    node: " + name(nodes.get(i)) + "\n    at: " + percents[i] + "%\n");
            planned.put(nodes.get(i), percents[i] / 100.0);
        }
        long start = System.nanoTime();
        Process process = start(faults);
        List<ProcessHandle> family = new ArrayList<>();
        while (process.isAlive() && seconds(start) < MOST_SECONDS) {
            note(process, family);
            process.waitFor(200, TimeUnit.MILLISECONDS);
        }
        Optional<String> failure =
                end(process) ? Optional.empty() : Optional.of("the command ended with code " + process.exitValue());
        RunReport report = report();
        return kill(
                number,
                Moment.of(planned, report.setting().replacement().orElse(""), report.marks()),
                failure,
                report,
                orphans(family),
                seconds(start));
    }

    private static String name(Victim victim) {
        return victim.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Who was killed.
     *
     * @param text what and when, human-readable
     * @param shares the progress of the run at each kill
     */
    record Moment(Victim victim, String text, List<Double> shares) {
        /**
         * Of the planned kills those that came.
         *
         * @param planned the share at which the receiver, the source or both were to be killed
         * @param receiver its name
         */
        static Moment of(Map<Victim, Double> planned, String receiver, List<Mark> marks) {
            List<String> texts = new ArrayList<>();
            Map<Victim, Double> came = new LinkedHashMap<>();
            for (Mark mark : marks) {
                mark.killed().ifPresent(node -> {
                    texts.add(String.format(Locale.ROOT, "%s at %.1f s", node, mark.seconds()));
                    Victim victim = node.equals(receiver) ? Victim.RECEIVER : Victim.SOURCE;
                    came.put(victim, planned.get(victim));
                });
            }
            return new Moment(
                    victim(came.isEmpty() ? planned.keySet() : came.keySet()),
                    String.join(", ", texts),
                    List.copyOf(came.values()));
        }

        private static Victim victim(Set<Victim> nodes) {
            return nodes.size() > 1 ? Victim.BOTH : nodes.iterator().next();
        }
    }

    private Kill killCoordinator(int number, long quiesceMillis) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long moment = random.nextLong(500, Math.max(501, quiesceMillis));
        Process process = start(List.of());
        List<ProcessHandle> family = new ArrayList<>();
        while (process.isAlive() && TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) < moment) {
            note(process, family);
            process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        boolean isInTime = process.isAlive();
        note(process, family);
        process.destroyForcibly().waitFor();
        int orphans = orphans(family);
        boolean isOver = end(start(List.of()));
        RunReport report = report();
        String moments = isInTime ? String.format(Locale.ROOT, "the command at %.1f s", moment / 1_000.0) : "";
        return kill(
                number,
                new Moment(Victim.COORDINATOR, moments, List.of(Math.min(1, moment / (double) quiesceMillis))),
                isOver ? Optional.empty() : Optional.of(report.failure().orElse("the second command failed")),
                report,
                orphans,
                seconds(start));
    }

    private static Kill kill(
            int number, Moment moment, Optional<String> failure, RunReport report, int orphans, double seconds) {
        int attempts = report.sources().stream()
                .mapToInt(RunReport.Source::attempt)
                .max()
                .orElse(1);
        long resumed = report.sources().stream()
                .mapToLong(RunReport.Source::bytesResumed)
                .sum();
        return new Kill(
                number,
                moment.victim(),
                moment.text(),
                moment.shares(),
                moment.victim() == Victim.COORDINATOR ? attempts + 1 : attempts,
                resumed,
                failure,
                report.verified(),
                orphans,
                seconds);
    }

    /** Records the processes that {@code process} has started so far. */
    private static void note(Process process, List<ProcessHandle> family) {
        process.descendants().filter(child -> !family.contains(child)).forEach(family::add);
    }

    /** How many of them still exist after a while. */
    private static int orphans(List<ProcessHandle> family) throws InterruptedException {
        long start = System.nanoTime();
        while (family.stream().anyMatch(ProcessHandle::isAlive) && seconds(start) < ORPHAN_SECONDS) {
            Thread.sleep(50);
        }
        return (int) family.stream().filter(ProcessHandle::isAlive).count();
    }

    private Process start(List<String> faults) throws IOException {
        Path scenario = folder.resolve("kills.yaml");
        Files.writeString(
                scenario,
                "operation: replace-node\nsize: " + size + "\nthroughput: " + THROUGHPUT + "\nretries: 3\n"
                        + (faults.isEmpty() ? "" : "faults:\n" + String.join("", faults)));
        Files.deleteIfExists(runs().resolve("report.json"));
        ProcessBuilder command = new ProcessBuilder(JavaCommand.words(
                List.of("-Xmx256m", "-XX:+UseSerialGC", "-D" + NodeProcess.JAVA_OPTIONS + "=" + QUIET),
                "io.sluice.harness.cli.Main",
                "replace-node",
                "--scenario",
                scenario,
                "--config",
                config,
                "--work-dir",
                runs()));
        command.environment().put("JDK_JAVA_OPTIONS", JAVA_OPTIONS); // nodes inherit them
        Process started = command.redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
        running = started;
        return started;
    }

    /** Waits for the end of a run and returns whether it ended as expected; kills it if it takes too long. */
    private static boolean end(Process process) throws InterruptedException {
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return process.exitValue() == 0;
    }

    private Path runs() {
        return folder.resolve("runs");
    }

    private Path output() {
        return folder.resolve("run.log");
    }

    private RunReport report() throws IOException {
        Path file = runs().resolve("report.json");
        if (!Files.exists(file)) {
            throw new IOException("a run ended without a report; see " + output());
        }
        return Json.MAPPER.readValue(file.toFile(), RunReport.class);
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }
}
