package io.sluice.harness.soak;

import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.SoakPage;
import io.sluice.harness.report.SoakPage.Bar;
import io.sluice.harness.report.SoakPage.Mark;
import io.sluice.harness.report.SoakPage.Table;
import io.sluice.harness.report.SoakPage.Tile;
import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.RandomReport.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Builds the HTML pages of soak reports. Stateless. */
public final class SoakPages {
    private SoakPages() {}

    /** The page of a kill soak. */
    public static SoakPage of(KillReport report) {
        List<Bar> bars = new ArrayList<>();
        List<Mark> marks = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (Kill kill : report.kills()) {
            String name = name(kill.victim());
            String text = kill.moments() + ": " + kill.end() + ", contents "
                    + (kill.areContentsEqual() ? "equal" : "DIFFERENT");
            bars.add(new Bar(kill.number(), name, kill.seconds(), kill.attempts() > 1, kill.isGood(), text));
            kill.shares().forEach(share -> marks.add(new Mark(name, share, kill.number() + ": " + kill.moments())));
            rows.add(List.of(
                    Integer.toString(kill.number()),
                    name,
                    kill.moments(),
                    Integer.toString(kill.attempts()),
                    ByteFormat.text(kill.resumedBytes()),
                    kill.end(),
                    kill.areContentsEqual() ? "equal" : "DIFFERENT",
                    Integer.toString(kill.orphans()),
                    number(kill.seconds())));
        }
        long good = report.kills().stream().filter(Kill::isGood).count();
        long again = report.kills().stream().filter(kill -> kill.attempts() > 1).count();
        long resumed = report.kills().stream().mapToLong(Kill::resumedBytes).sum();
        return new SoakPage(
                report.kills().size() + " times SIGKILL",
                "A node is replaced repeatedly, with " + report.bytes()
                        + " of data; in each run processes are killed at random moments. Killed processes are restarted, and"
                        + " a failed operation is repeated.",
                report.isGood(),
                report.isGood() ? "nothing lost" : "failed",
                List.of(
                        new Tile(Integer.toString(report.kills().size()), "runs with a kill"),
                        new Tile(good + " of " + report.kills().size(), "installed, contents equal"),
                        new Tile(Long.toString(again), "repeated"),
                        new Tile(ByteFormat.text(resumed), "resumed, not sent again"),
                        new Tile(number(report.seconds() / 60) + " min", "in all")),
                "How long each run took, from its start to equal contents",
                "(hollow: repeated)",
                bars,
                "Progress of the run at the kill",
                marks,
                List.of(new Table(
                        "Each run",
                        List.of(
                                "#run",
                                "killed",
                                "when",
                                "#attempts",
                                "#resumed",
                                "end",
                                "contents",
                                "#processes left",
                                "#seconds"),
                        rows)),
                "./sluice soak kills --count " + report.kills().size() + " --seed " + report.seed() + "; "
                        + report.tooLate() + " runs ended before the kill and do not count");
    }

    private static String name(KillReport.Victim victim) {
        return victim.name().toLowerCase(Locale.ROOT);
    }

    /** The page of a random soak. */
    public static SoakPage of(RandomReport report) {
        List<Bar> bars = new ArrayList<>();
        List<Mark> marks = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        Map<String, Integer> again = new LinkedHashMap<>();
        for (Operation one : report.operations()) {
            String kind = one.name().replaceAll(" .*", "");
            bars.add(new Bar(
                    one.number(), kind, one.seconds(), one.attempts() > 1, !one.isUnexplained(), joined(one.events())));
            one.events().stream()
                    .filter(event -> !event.isFailure())
                    .forEach(event -> marks.add(new Mark(
                            event.text().replaceAll(" .*", ""),
                            one.atSeconds() / report.seconds(),
                            one.number() + ": " + event)));
            again.merge(kind, one.attempts() - 1, Integer::sum);
            rows.add(List.of(
                    Integer.toString(one.number()),
                    number(one.atSeconds()),
                    one.name(),
                    number(one.seconds()),
                    Integer.toString(one.attempts()),
                    joined(one.events())));
        }
        List<List<String>> counts = new ArrayList<>();
        again.forEach((kind, attempts) -> counts.add(List.of(
                kind,
                Long.toString(report.operations().stream()
                        .filter(one -> one.name().replaceAll(" .*", "").equals(kind))
                        .count()),
                Integer.toString(attempts))));
        List<List<String>> held = report.processes().stream()
                .map(one -> List.of(
                        one.node(),
                        Integer.toString(one.operations()),
                        one.firstDescriptors() + " to " + one.lastDescriptors(),
                        one.firstThreads() + " to " + one.lastThreads()))
                .toList();
        List<List<String>> wrong = report.wrong().stream().map(List::of).toList();
        return new SoakPage(
                number(report.seconds() / 60) + " minutes of random operations",
                "Four or five nodes with a write load, and " + report.bytes() + " of other data."
                        + report.failure().map(why -> " It ended early: " + why).orElse(""),
                report.isGood(),
                report.isGood() ? "all data in place" : "failed",
                List.of(
                        new Tile(Integer.toString(report.operations().size()), "operations"),
                        new Tile(
                                Integer.toString(report.operations().stream()
                                        .mapToInt(Operation::faults)
                                        .sum()),
                                "faults"),
                        new Tile(
                                Long.toString(report.operations().stream()
                                        .filter(one -> !one.schemaChange().isEmpty())
                                        .count()),
                                "tables truncated or dropped"),
                        new Tile(report.writes() + ", " + report.missing(), "writes, missing"),
                        new Tile(report.equalRanges() + " of " + report.ranges(), "ranges equal"),
                        new Tile(Long.toString(report.partitions()), "partitions audited")),
                "How long each operation took",
                "(hollow: repeated)",
                bars,
                "When faults were injected, as a share of the run",
                marks,
                List.of(
                        new Table("What is wrong", List.of("what"), wrong),
                        new Table("Operations", List.of("operation", "#times", "#repeated"), counts),
                        new Table(
                                "Resources of processes between operations, from the first to the last",
                                List.of("node", "#operations", "descriptors", "threads"),
                                held),
                        new Table(
                                "Each operation",
                                List.of("#number", "#at second", "operation", "#seconds", "#attempts", "meanwhile"),
                                rows)),
                "./sluice soak random --seed " + report.seed());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String joined(List<RandomReport.Event> events) {
        return events.stream().map(RandomReport.Event::toString).collect(Collectors.joining("; "));
    }
}
