package io.sluice.harness.cli;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.soak.KillReport;
import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import io.sluice.harness.soak.KillRuns;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice soak kills}. Not thread-safe. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = "The same again and again while processes die, with a table at the end.")
final class SoakCommand {

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
            @Option(names = "--count", defaultValue = "100", description = "Kills (default: ${DEFAULT-VALUE}).")
                    int count,
            @Option(names = "--seed", defaultValue = "1", description = "Of the moments (default: ${DEFAULT-VALUE}).")
                    long seed,
            @Option(names = "--size", defaultValue = "16MiB", description = "Data (default: ${DEFAULT-VALUE}).")
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
            throws IOException, InterruptedException {
        PrintStream out = System.out;
        KillReport report = new KillRuns(folder.toAbsolutePath(), size, seed).run(count, kill -> say(kill, out));
        Path file = json == null ? folder.resolve("kills.json") : json;
        Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), report);
        summary(report, out);
        out.println("Report: " + file);
        return (report.isGood() ? ExitCode.OK : ExitCode.FAILED).number();
    }

    private static void say(Kill kill, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%3d %-11s %s: %s after %d attempts, %s resumed, contents %s, %.0f s%s%n",
                kill.number(),
                name(kill.victim()),
                kill.moments(),
                kill.end(),
                kill.attempts(),
                Bytes.text(kill.resumedBytes()),
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
                    Bytes.text(kills.stream().mapToLong(Kill::resumedBytes).sum()),
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
