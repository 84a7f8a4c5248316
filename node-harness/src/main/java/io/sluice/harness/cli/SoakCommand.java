package io.sluice.harness.cli;

import io.sluice.harness.config.ByteAmounts;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.SoakPage;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.RandomRun;
import io.sluice.harness.scenario.RunListeners;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.harness.soak.KillReport;
import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import io.sluice.harness.soak.KillRuns;
import io.sluice.harness.soak.RandomReport;
import io.sluice.harness.soak.SoakPages;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice soak kills} and {@code ./sluice soak random}. Not thread-safe. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        subcommands = CommandLine.HelpCommand.class,
        description = "Long runs in which processes die and rings and tables change, each with a report at the end.")
final class SoakCommand {
    private static final double MILLIS_PER_MINUTE = 60_000;

    @Command(
            name = "kills",
            mixinStandardHelpOptions = true,
            description = {
                "Replaces a node again and again, and kills a process with SIGKILL each time, at a random moment: the "
                        + "receiver, a source, both, or the command itself. What was killed comes back, the operation "
                        + "is begun again if it failed, and contents of all replicas are compared.",
                "Exit code 0: after each kill everything was installed, contents were equal, and no process was left."
            },
            footer = {"", "Example:", "  ./sluice soak kills --count 100 --json kills.json"})
    int kills(
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
                            description = "Settings of streaming (default: conf/sluice.yaml).")
                    Path config,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Kills (default: ${DEFAULT-VALUE}).")
                    int count,
            @Option(
                            names = "--seed",
                            paramLabel = "S",
                            defaultValue = "1",
                            description = "Of the moments (default: ${DEFAULT-VALUE}).")
                    long seed,
            @Option(
                            names = "--size",
                            paramLabel = "SIZE",
                            defaultValue = "8MiB",
                            description = "Data (default: ${DEFAULT-VALUE}).")
                    String size,
            @Option(
                            names = "--work-dir",
                            paramLabel = "FOLDER",
                            defaultValue = "work/kills",
                            description = "Where runs leave their files (default: ${DEFAULT-VALUE}).")
                    Path folder,
            @Option(
                            names = "--json",
                            paramLabel = "FILE",
                            description = "Where the report goes (default: kills.json in the folder).")
                    @Nullable
                    Path json)
            throws IOException, InterruptedException, ScenarioException {
        if (count < 1) {
            throw new ConfigException("--count " + count + " (expected: 1 or more)");
        }
        WorkDirectory.made(folder);
        SluiceConfig.read(config); // its runs read it, and the size, but say so in a log
        ByteAmounts.bytes("--size", size);
        PrintStream out = System.out;
        Path file = json == null ? folder.resolve("kills.json") : json;
        begin(file);
        out.println("First a run in which nothing is killed, then " + count + " in which something is.");
        KillReport report = new KillRuns(folder.toAbsolutePath(), config, size, seed).run(count, until -> {
            say(until, count, out);
            writeUntil(until, file);
        });
        summary(report, out);
        write(report, SoakPages.of(report), file, out);
        return (report.isGood() ? ExitCode.OK : ExitCode.FAILED).number();
    }

    @Command(
            name = "random",
            mixinStandardHelpOptions = true,
            description = {
                "Does random things to four or five nodes that clients write to: nodes join, leave, move, die and are "
                        + "replaced, repaired or rebuilt; meanwhile processes are killed or frozen, connections cut, "
                        + "tables truncated, dropped and made anew. In the end every acknowledged write is looked for at "
                        + "each of its replicas, digests of all replicas are compared, and the files of all nodes are "
                        + "read against what was written.",
                "Exit code 0: all of it was where it belongs, nothing else was anywhere, no process held more than at its "
                        + "beginning, and no operation failed to which nothing had been done."
            },
            footer = {"", "Example:", "  ./sluice soak random --minutes 60 --seed 7"})
    int random(
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
                            description = "Settings of streaming (default: conf/sluice.yaml).")
                    Path config,
            @Option(
                            names = "--minutes",
                            paramLabel = "N",
                            defaultValue = "60",
                            description = "How long, the comparison aside (default: ${DEFAULT-VALUE}).")
                    double minutes,
            @Option(
                            names = "--seed",
                            paramLabel = "S",
                            defaultValue = "1",
                            description = "Of all choices (default: ${DEFAULT-VALUE}).")
                    long seed,
            @Option(
                            names = "--size",
                            paramLabel = "SIZE",
                            defaultValue = "8MiB",
                            converter = SizeConverter.class,
                            description = "Data besides what clients write (default: ${DEFAULT-VALUE}).")
                    long size,
            @Option(
                            names = "--work-dir",
                            paramLabel = "FOLDER",
                            defaultValue = "work/random",
                            description = "Where the run leaves its files (default: ${DEFAULT-VALUE}).")
                    Path folder,
            @Option(
                            names = "--json",
                            paramLabel = "FILE",
                            description = "Where the report goes (default: random.json in the folder).")
                    @Nullable
                    Path json)
            throws IOException, InterruptedException, ScenarioException {
        if (!(minutes > 0)) {
            throw new ConfigException("--minutes " + minutes + " (expected: more than 0)");
        }
        PrintStream out = System.out;
        Duration lasts = Duration.ofMillis((long) (minutes * MILLIS_PER_MINUTE));
        try (WorkDirectory work = WorkDirectory.open(folder)) {
            LogFile.at(work.log());
            SluiceConfig settings = SluiceConfig.read(config);
            Path file = json == null ? folder.resolve("random.json") : json;
            RunListeners listeners = RunOutput.listeners(work, unread -> {});
            RandomRun run = new RandomRun(work, settings, size, seed, listeners);
            run.requirePossible();
            begin(file);
            RandomReport report = run.run(lasts, done -> say(done, out));
            summary(report, out);
            write(report, SoakPages.of(report), file, out);
            return (report.isGood() ? ExitCode.OK : ExitCode.FAILED).number();
        }
    }

    /** A run of hours that is interrupted leaves the report of what it has done. */
    private static void writeUntil(KillReport report, Path json) {
        try {
            write(report, SoakPages.of(report), json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void begin(Path json) {
        ReportFile.begin("--json", json);
        ReportFile.begin("--json", page(json));
    }

    /** For programs, and beside it the page. */
    private static void write(Object report, SoakPage page, Path json, PrintStream out) throws IOException {
        out.println("Report: " + write(report, page, json) + ", for programs " + json);
    }

    private static Path write(Object report, SoakPage page, Path json) throws IOException {
        Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), report);
        Path html = page(json);
        HtmlReport.write(page, html);
        return html;
    }

    private static Path page(Path json) {
        return json.resolveSibling(String.valueOf(json.getFileName()).replaceAll("\\.json$", "") + ".html");
    }

    private static void say(RandomReport.Operation done, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%4d %6.0f s  %s: %s in %.1f s%s%s%n",
                done.number(),
                done.atSeconds(),
                done.name(),
                done.attempts() == 1 ? "at once" : done.attempts() + " attempts",
                done.seconds(),
                done.events().stream().map(event -> "; " + event).collect(Collectors.joining()),
                done.isUnexplained() ? "; FAILED THOUGH NOTHING WAS DONE TO IT" : "");
        out.flush();
    }

    private static void summary(RandomReport report, PrintStream out) {
        out.println();
        report.failure().ifPresent(why -> out.println("Ended early: " + why));
        out.printf(
                Locale.ROOT,
                "%d operations in %.1f min, %d of them begun again; %d acknowledged writes, %d missing; %d of %d ranges"
                        + " equal; %d partitions audited, %d findings%n",
                report.operations().size(),
                report.seconds() / 60,
                report.operations().stream().filter(done -> done.attempts() > 1).count(),
                report.writes(),
                report.missing(),
                report.equalRanges(),
                report.ranges(),
                report.partitions(),
                report.wrong().size());
        report.wrong().forEach(finding -> out.println("  WRONG: " + finding));
        TextTable table = new TextTable("node", "operations", "descriptors", "threads");
        report.processes()
                .forEach(held -> table.row(
                        held.node(),
                        Integer.toString(held.operations()),
                        held.firstDescriptors() + " to " + held.lastDescriptors(),
                        held.firstThreads() + " to " + held.lastThreads()));
        table.print(out);
    }

    private static void say(KillReport until, int count, PrintStream out) {
        Kill kill = until.kills().get(until.kills().size() - 1);
        double minutes = until.seconds() / 60;
        out.printf(
                Locale.ROOT,
                "%3d of %d, %3.0f min left: %-11s %s: %s after %d attempts, %s resumed, contents %s, %.0f s%s%n",
                kill.number(),
                count,
                minutes / kill.number() * (count - kill.number()),
                name(kill.victim()),
                kill.moments(),
                kill.end(),
                kill.attempts(),
                ByteFormat.text(kill.resumedBytes()),
                kill.areContentsEqual() ? "equal" : "DIFFER",
                kill.seconds(),
                kill.orphans() == 0 ? "" : ", " + kill.orphans() + " PROCESSES LEFT");
    }

    private static void summary(KillReport report, PrintStream out) {
        TextTable table =
                new TextTable("killed", "times", "at once", "begun again", "resumed", "contents equal", "orphans");
        for (Victim victim : Victim.values()) {
            List<Kill> kills = report.kills().stream()
                    .filter(kill -> kill.victim() == victim)
                    .toList();
            long again = kills.stream().filter(kill -> kill.attempts() > 1).count();
            table.row(
                    name(victim),
                    Integer.toString(kills.size()),
                    Long.toString(kills.size() - again),
                    Long.toString(again),
                    ByteFormat.text(kills.stream().mapToLong(Kill::resumedBytes).sum()),
                    Long.toString(kills.stream().filter(Kill::areContentsEqual).count()),
                    Integer.toString(kills.stream().mapToInt(Kill::orphans).sum()));
        }
        out.println();
        table.print(out);
        if (report.tooLate() > 0) {
            out.println(report.tooLate() + " runs were over before anybody was killed, and do not count.");
        }
    }

    private static String name(Victim victim) {
        return victim.name().toLowerCase(Locale.ROOT);
    }
}
