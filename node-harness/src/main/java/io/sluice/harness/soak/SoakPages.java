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

/** What the pages of soaks show of their reports. Stateless. */
public final class SoakPages {
    private SoakPages() {}

    /** The page of kills. */
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
                "A node is replaced again and again, with " + report.bytes()
                        + " of data; in each run processes are killed at random moments. What was killed comes back, and"
                        + " the operation is begun again if it failed.",
                report.isGood(),
                report.isGood() ? "nothing lost" : "failed",
                List.of(
                        new Tile(Integer.toString(report.kills().size()), "runs with a kill"),
                        new Tile(good + " of " + report.kills().size(), "installed, contents equal"),
                        new Tile(Long.toString(again), "begun again"),
                        new Tile(ByteFormat.text(resumed), "resumed, not sent again"),
                        new Tile(number(report.seconds() / 60) + " min", "in all")),
                "How long each run took, from its start to equal contents",
                "(hollow: begun again)",
                bars,
                "How far the run was when somebody was killed",
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
                        + report.tooLate() + " runs were over before anybody was killed, and do not count");
    }

    private static String name(KillReport.Victim victim) {
        return victim.name().toLowerCase(Locale.ROOT);
    }

    /** The page of random operations. */
    public static SoakPage of(RandomReport report) {
        List<Bar> bars = new ArrayList<>();
        List<Mark> marks = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        Map<String, Integer> again = new LinkedHashMap<>();
        for (Operation one : report.operations()) {
            String kind = one.name().replaceAll(" .*", "");
            bars.add(new Bar(
                    one.number(),
                    kind,
                    one.seconds(),
                    one.attempts() > 1,
                    !one.isUnexplained(),
                    String.join("; ", one.events())));
            one.events().stream()
                    .filter(event -> !event.startsWith("failed: "))
                    .forEach(event -> marks.add(new Mark(
                            event.replaceAll(" .*", ""),
                            one.atSeconds() / report.seconds(),
                            one.number() + ": " + event)));
            again.merge(kind, one.attempts() - 1, Integer::sum);
            rows.add(List.of(
                    Integer.toString(one.number()),
                    number(one.atSeconds()),
                    one.name(),
                    number(one.seconds()),
                    Integer.toString(one.attempts()),
                    String.join("; ", one.events())));
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
                "Four or five nodes that clients write to; " + report.bytes() + " of data besides."
                        + report.failure().map(why -> " It ended early: " + why).orElse(""),
                report.isGood(),
                report.isGood() ? "all where it belongs" : "failed",
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
                "(hollow: begun again)",
                bars,
                "When things were done to it, as a share of the run",
                marks,
                List.of(
                        new Table("What is wrong", List.of("what"), wrong),
                        new Table("Operations", List.of("operation", "#times", "#begun again"), counts),
                        new Table(
                                "What processes held between operations, from their first to their last",
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
}
