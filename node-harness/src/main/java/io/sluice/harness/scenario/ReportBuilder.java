package io.sluice.harness.scenario;

import io.sluice.harness.audit.Findings;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExpectedEnd;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Audit;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.End;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.Environment;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.report.RunReport.Mark;
import io.sluice.harness.report.RunReport.Member;
import io.sluice.harness.report.RunReport.Offer;
import io.sluice.harness.report.RunReport.Phase;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.harness.report.RunReport.Sample;
import io.sluice.harness.report.RunReport.Setting;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.report.RunReport.Transfer;
import io.sluice.harness.report.RunReport.Usage;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gathers what a run has to report, also if it ends early, and notifies its listener. Thread-safe. */
final class ReportBuilder {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ScenarioOptions options;
    private final Environment environment;
    private final RunDescription description;
    private final Path workDirectory;
    private final Consumer<RunReport> watcher;
    private final Instant startedAt = Instant.now();
    private final Map<String, Node> members = new LinkedHashMap<>();
    private final Map<String, String> roles = new LinkedHashMap<>();
    private final Timeline timeline = new Timeline();
    private final List<Mark> marks = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private Phase phase = Phase.STARTING;
    private List<Source> earlierSources = List.of();
    private List<Source> sources = List.of();
    private SessionHistory history = new SessionHistory();
    private double earlierSeconds;
    private int attempt = 1;
    private double seconds;
    private Map<Node, ProcessUsage> usages = new LinkedHashMap<>();
    private Map<Node, ProcessUsage> earlierUsages = Map.of();
    private List<TableRef> tables = List.of();
    private final Map<UUID, String> tableNames = new HashMap<>();
    private List<Check> checks = List.of();
    private @Nullable Transfer transfer;
    private @Nullable LoadResult load;
    private @Nullable Audit audit;
    private double verificationSeconds;

    ReportBuilder(ScenarioOptions options, Path workDirectory, Environment environment, Consumer<RunReport> watcher) {
        this.environment = environment;
        this.options = options;
        this.description = RunDescription.of(options);
        this.workDirectory = workDirectory;
        this.watcher = watcher;
    }

    private void publish() {
        watcher.accept(build(phase, Optional.empty()));
    }

    synchronized void tables(List<TableRef> known) {
        tables = List.copyOf(known);
    }

    /** These are there now, too. */
    synchronized void joined(List<Node> nodes) {
        nodes.forEach(node -> members.put(node.name(), node));
        publish();
    }

    /** What a node is in this run; who is not named is a source or a member. */
    synchronized void role(Node node, String role) {
        roles.put(node.name(), role);
    }

    /** Something was made to go wrong, or right again. */
    synchronized void mark(FaultSchedule.Event event) {
        marks.add(new Mark(earlierSeconds + seconds, event.text(), event.killed()));
        publish();
    }

    /** How far a change is: what each node that fetches has got, and what processes have used. */
    synchronized void streaming(
            Map<Node, List<SessionProgress>> received, long nanos, Map<Node, ProcessUsage> used, String transport) {
        phase = Phase.STREAMING;
        // Whole SSTables, slices and rows: in all the bytes of files leave as they are.
        String mode = "files ("
                + (options.links().areEncrypted() ? "TLS 1.3" : transport.equals("epoll") ? "sendfile" : "transferTo")
                + ")";
        List<Source> now = new ArrayList<>();
        received.forEach((node, sessions) -> {
            for (int i = 0; i < sessions.size(); i++) {
                now.add(source(history.add(node.name(), i, sessions.get(i)), node, mode));
            }
        });
        sources = now;
        seconds = nanos / NANOS_PER_SECOND;
        List<Source> all = all();
        double total = earlierSeconds + seconds;
        long bytes = all.stream().mapToLong(Source::bytes).sum();
        transfer = new Transfer(
                total,
                bytes,
                ByteFormat.megabytesPerSecond(bytes, total),
                all.stream().mapToInt(Source::files).sum(),
                all.stream().mapToInt(Source::sstables).sum(),
                mode,
                0);
        // Of a process that has ended since, the last that was known of it counts.
        used.forEach((node, usage) -> usages.merge(node, usage, (last, latest) -> latest.isKnown() ? latest : last));
        timeline.add(sample(total));
        publish();
    }

    /** A change of these tables begins, for the first time or again. */
    synchronized void changeBegins(int number, Set<TableRef> changing) {
        attempt = number;
        changing.forEach(table -> tableNames.put(table.id(), table.toString()));
    }

    /** A change has ended: what comes now is counted on top. */
    synchronized void changeEnded(List<Result> ended) {
        results.addAll(ended);
        earlierSources = all();
        earlierUsages = allUsages();
        usages = new LinkedHashMap<>();
        sources = List.of();
        history = new SessionHistory();
        earlierSeconds += seconds;
        seconds = 0;
    }

    private List<Source> all() {
        return Stream.concat(earlierSources.stream(), sources.stream()).toList();
    }

    private Map<Node, ProcessUsage> allUsages() {
        Map<Node, ProcessUsage> all = new LinkedHashMap<>(earlierUsages);
        usages.forEach((node, usage) -> all.merge(node, usage, ProcessUsage::plus));
        return all;
    }

    private List<Usage> processes() {
        return allUsages().entrySet().stream()
                .map(entry -> usage(entry.getKey(), entry.getValue()))
                .toList();
    }

    private Source source(SessionProgress session, Node to, String mode) {
        // A replacement is the only one that receives.
        String label = options.operation() == Operation.REPLACE
                ? session.peer().name()
                : session.peer().name() + " \u2192 " + to.name();
        return new Source(
                session.peer().name(),
                session.peer().address().toString(),
                to.name(),
                attempt,
                label,
                session.bytesReceived() - session.bytesResumed(),
                session.bytesTotal(),
                session.bytesResumed(),
                session.filesReceived(),
                session.filesTotal(),
                session.sstablesTotal(),
                modes(session.offered()).orElse(mode),
                session.state().name(),
                session.offered().stream().map(this::offer).toList());
    }

    /** In words, with how many SSTables travelled so if not all did; empty if the offers are not known. */
    static Optional<String> modes(List<SessionProgress.Offered> offered) {
        Map<String, Long> modes = offered.stream()
                .collect(Collectors.groupingBy(
                        one -> one.mode().name().toLowerCase(Locale.ROOT), TreeMap::new, Collectors.counting()));
        if (modes.size() <= 1) {
            return modes.keySet().stream().findFirst();
        }
        return Optional.of(modes.entrySet().stream()
                .map(mode -> mode.getValue() + " " + mode.getKey())
                .collect(Collectors.joining(", ")));
    }

    private Offer offer(SessionProgress.Offered offered) {
        String table =
                tableNames.getOrDefault(offered.tableId(), offered.tableId().toString());
        String mode = offered.mode().name().toLowerCase(Locale.ROOT);
        return new Offer(table, offered.sstable(), mode, offered.bytes(), offered.reason());
    }

    private Usage usage(Node node, ProcessUsage usage) {
        return new Usage(
                node.name(),
                roles.getOrDefault(node.name(), options.operation() == Operation.REPLACE ? "survivor" : "member"),
                usage.cpu().map(cpu -> cpu.toMillis() / MILLIS_PER_SECOND),
                usage.system().map(system -> system.toMillis() / MILLIS_PER_SECOND),
                usage.peakMemoryBytes());
    }

    private Sample sample(double at) {
        Map<String, Long> received = new TreeMap<>();
        all().forEach(source -> received.merge(source.label(), source.bytes(), Long::sum));
        Map<String, Double> cpu = new TreeMap<>();
        processes().forEach(process -> process.cpuSeconds().ifPresent(used -> cpu.put(process.node(), used)));
        return new Sample(at, received, cpu);
    }

    synchronized void loaded(LoadResult result) {
        load = result;
        publish();
    }

    /** The files were read. */
    synchronized void audited(Findings findings) {
        audit = new Audit(
                findings.expected(),
                findings.nodes(),
                findings.holdings().stream()
                        .mapToInt(Findings.Holding::wholeFiles)
                        .sum(),
                findings.holdings().stream()
                        .mapToInt(Findings.Holding::decodedFiles)
                        .sum(),
                findings.seconds(),
                findings.areRight(),
                findings.holdings().stream()
                        .filter(holding -> !holding.isRight())
                        .map(Findings.Holding::toString)
                        .toList());
        publish();
    }

    /** Another comparison was made, {@code seconds} after the first began. */
    synchronized void compared(List<Check> made, double lasted) {
        phase = Phase.VERIFYING;
        checks = List.copyOf(made);
        verificationSeconds = lasted;
        publish();
    }

    /** @param failure why the run did not succeed; empty if all contents are equal */
    synchronized RunReport build(Optional<ScenarioException> failure) {
        RunReport ended = build(Phase.ENDED, failure);
        watcher.accept(ended);
        return ended;
    }

    private RunReport build(Phase now, Optional<ScenarioException> failure) {
        boolean hasEnded = now == Phase.ENDED;
        boolean isVerified = hasEnded && failure.isEmpty() && !checks.isEmpty() && audit != null && audit.right();
        boolean isReplacement = options.operation() == Operation.REPLACE;
        int nodes = options.shape().nodes();
        return new RunReport(
                description.name(),
                !hasEnded ? description.doing() : failure.isEmpty() ? description.done() : description.failed(),
                startedAt.toString(),
                now,
                new Setting(
                        nodes,
                        options.shape().replicationFactor(),
                        options.shape().dcs(),
                        options.shape().racks(),
                        options.shape().vnodes(),
                        options.dataset().toString(),
                        isReplacement || options.operation() == Operation.REMOVENODE
                                ? Optional.of("node" + nodes)
                                : Optional.empty(),
                        isReplacement ? Optional.of("node" + (nodes + 1)) : Optional.empty(),
                        tables.stream().map(TableRef::toString).toList(),
                        options.others()),
                members.values().stream().map(this::member).toList(),
                isVerified,
                failure.map(Throwable::getMessage),
                end(hasEnded, failure),
                List.copyOf(results),
                Optional.ofNullable(transfer)
                        .map(moved -> moved.verifiedIn(verificationSeconds))
                        .map(moved -> hasEnded ? moved.installed(RunReport.installed(results)) : moved),
                all(),
                processes(),
                checks,
                Optional.ofNullable(audit),
                Optional.ofNullable(load),
                timeline.samples(),
                List.copyOf(marks),
                Optional.empty(),
                Optional.empty(),
                environment,
                workDirectory.toString());
    }

    private End end(boolean hasEnded, Optional<ScenarioException> failure) {
        ExpectedEnd expected = options.faults().expect();
        if (!hasEnded) {
            return new End(EndState.RUNNING, Optional.empty(), expected, false);
        }
        EndState state = failure.map(why -> why.kind().state()).orElse(EndState.INSTALLED);
        Optional<ErrorCode> code = failure.flatMap(ScenarioException::code);
        boolean asExpected =
                failure.isEmpty() ? expected.isInstalled() : failure.get().isOfStreaming() && expected.isFailure(code);
        return new End(state, code, expected, asExpected);
    }

    private Member member(Node node) {
        return new Member(
                node.name(),
                node.address().toString(),
                node.tokens().stream().map(Object::toString).toList(),
                roles.getOrDefault(node.name(), seen(node.name())));
    }

    private String seen(String name) {
        if (all().stream().anyMatch(source -> source.to().equals(name))) {
            return "receiver";
        }
        return all().stream().anyMatch(source -> source.node().equals(name)) ? "source" : "member";
    }
}
