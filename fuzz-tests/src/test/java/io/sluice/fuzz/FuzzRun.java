package io.sluice.fuzz;

import io.sluice.tools.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run of Jazzer on one target, in a process of its own: libFuzzer ends the process that it runs in.
 *
 * @param folder for the log, findings, and inputs that opened new ways
 */
record FuzzRun(FuzzTarget target, Path folder) {
    private static final Pattern INPUTS = Pattern.compile("stat::number_of_executed_units: (\\d+)");
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+) ft: (\\d+) corp: (\\d+)");

    private static final Pattern UNUSED = Pattern.compile(
            "(archunit|assertj|awaitility|bcpkix|bcprov|bcutil|byte-buddy|HdrHistogram|java-driver|jline|jmh-core|junit"
                    + "|metrics-core|native-protocol|netty-pkitesting|netty-tcnative|progressbar|surefire).*\\.jar");

    static FuzzRun of(FuzzTarget target, Path folder) {
        return new FuzzRun(target, folder);
    }

    /**
     * What came of it.
     *
     * @param seconds of the whole process, its start included
     * @param coverage edges of the code that were seen
     * @param features ways through them that were distinguished
     */
    record Result(
            FuzzTarget target,
            long inputs,
            double seconds,
            long coverage,
            long features,
            List<Path> findings,
            Path log) {
        static final String HEAD = """
                | target | inputs | inputs/s | edges | features | findings |
                | --- | --- | --- | --- | --- | --- |
                """;

        String row() {
            return String.format(
                    Locale.ROOT,
                    "| %s | %,d | %,.0f | %d | %d | %d |%n",
                    target,
                    inputs,
                    inputs / seconds,
                    coverage,
                    features,
                    findings.size());
        }
    }

    /**
     * Runs until that many inputs were tried, or for some seconds if {@code runs} is 0.
     *
     * @throws IOException if the process cannot be started
     */
    Result run(long runs, long seconds) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Path found = Files.createDirectories(folder.resolve("inputs"));
        List<String> command = new ArrayList<>(List.of(
                JavaCommand.executable(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                // In seconds the second compiler only takes time from the inputs: 2.4 times as many without it.
                runs > 0 ? "-XX:+TieredCompilation" : "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzDriver.class.getName(),
                "--target_args=" + target,
                "--instrumentation_includes=io.sluice.**",
                "--custom_hook_includes=io.sluice.**",
                "--instrumentation_excludes=io.sluice.fuzz.**",
                "--mutator_framework=false",
                "--reproducer_path=" + folder));
        command.addAll(List.of(
                runs > 0 ? "-runs=" + runs : "-max_total_time=" + seconds,
                "-max_len=" + target.maxLength(),
                "-timeout=30", // of the wall's clock: a busy machine takes seconds for the first input
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                "-artifact_prefix=" + folder + "/",
                found.toString(),
                target.folder().toString()));
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        double took = (System.nanoTime() - start) / 1e9;
        String text = Files.readString(log, StandardCharsets.ISO_8859_1);
        return new Result(
                target,
                last(INPUTS, 1, text),
                took,
                last(COVERAGE, 1, text),
                last(COVERAGE, 2, text),
                findingsIn(folder),
                log);
    }

    /** The fuzzer looks into every jar before it begins, for seconds: those that no parser needs are left out. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry ->
                        !UNUSED.matcher(Path.of(entry).getFileName().toString()).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Inputs that broke the contract, took too long, or too much memory. */
    static List<Path> findingsIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("(crash|timeout|oom|slow-unit)-.*"))
                    .sorted()
                    .toList();
        }
    }

    private static long last(Pattern pattern, int group, String text) {
        long last = 0;
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            last = Long.parseLong(matcher.group(group));
        }
        return last;
    }
}
