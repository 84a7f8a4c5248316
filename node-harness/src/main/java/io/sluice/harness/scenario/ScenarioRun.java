package io.sluice.harness.scenario;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.OrphanedProcesses;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.fault.Namespaces;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.fault.SmallDisks;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.streaming.plan.TopologyPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a scenario, with all that has to be released whatever happens. Stateless. */
public final class ScenarioRun {
    private static final Logger LOG = LoggerFactory.getLogger(ScenarioRun.class);

    private ScenarioRun() {}

    /**
     * Runs it, and writes the report into the work directory.
     *
     * @param config what nodes use for streaming
     * @return also if something failed on the way
     * @throws ScenarioException of kind {@link Kind#WRONG_USAGE} if it cannot begin
     */
    public static RunReport run(
            ScenarioOptions options, WorkDirectory work, SluiceConfig config, RunListeners listeners)
            throws ScenarioException, IOException, InterruptedException {
        requirePossible(options, work, config, listeners);
        for (Path earlier : List.of(work.report(), work.page())) {
            Files.deleteIfExists(earlier); // it would be taken for this run's, which may be cancelled
        }
        OrphanedProcesses.end(work.root());
        SmallDisk.removeBelow(work.root());
        SmallDisks disks = new SmallDisks();
        Cluster cluster = Cluster.connected(work.root(), config, options.links());
        Thread hook = new Thread(() -> cancel(cluster, disks, listeners), "sluice-cancel");
        Runtime.getRuntime().addShutdownHook(hook);
        ReportBuilder report =
                new ReportBuilder(options, work.root(), RunEnvironment.of(work.root(), config), listeners.watcher());
        Optional<ScenarioException> failure;
        try (disks;
                cluster) { // a disk goes after the nodes that use it
            failure =
                    attempt(new ScenarioJob(options, work, new ScenarioJob.Running(cluster, disks), listeners, report));
        } finally {
            forget(hook);
        }
        RunReport built = report.build(failure);
        write(built, work);
        return built;
    }

    /**
     * Checks all for which {@link #run} may refuse to begin; makes, removes and starts nothing. Whoever removes what
     * earlier runs left calls it first.
     *
     * @throws ScenarioException of kind {@link Kind#WRONG_USAGE} if it cannot begin
     */
    public static void requirePossible(
            ScenarioOptions options, WorkDirectory work, SluiceConfig config, RunListeners listeners)
            throws ScenarioException, IOException {
        if (options.links().areNamespaces() && !Namespaces.isPossible()) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "namespaces: networks of the kernel need root on Linux, and iproute2 (expected: those, or a scenario"
                            + " without namespaces)");
        }
        try (SmallDisks disks = new SmallDisks();
                Cluster none = new Cluster(work.root(), config)) {
            unstarted(options, work, config, new ScenarioJob.Running(none, disks), listeners)
                    .requirePossible();
        }
    }

    private static ScenarioJob unstarted(
            ScenarioOptions options,
            WorkDirectory work,
            SluiceConfig config,
            ScenarioJob.Running nothing,
            RunListeners listeners)
            throws IOException {
        return new ScenarioJob(
                options,
                work,
                nothing,
                listeners,
                new ReportBuilder(options, work.root(), RunEnvironment.of(work.root(), config), report -> {}));
    }

    /** Writes the report into the work directory, for programs and as a page. */
    public static void write(RunReport report, WorkDirectory work) throws IOException {
        Json.MAPPER.writeValue(work.report().toFile(), report);
        HtmlReport.write(report, work.page());
    }

    /**
     * Plans it, and starts nothing; data that is to be generated is, as the plan is of its bytes.
     *
     * @return of each step in turn, as if those before it were done; empty for a repair, of which nodes find out what
     *     is streamed
     * @throws ScenarioException if it could not begin
     */
    public static List<TopologyPlan> plans(
            ScenarioOptions options, WorkDirectory work, SluiceConfig config, RunListeners listeners)
            throws ScenarioException, IOException {
        try (SmallDisks disks = new SmallDisks();
                Cluster none = new Cluster(work.root(), config)) {
            return unstarted(options, work, config, new ScenarioJob.Running(none, disks), listeners)
                    .plans();
        }
    }

    /** Why it failed, or empty if it did not. */
    private static Optional<ScenarioException> attempt(ScenarioJob job) throws ScenarioException, InterruptedException {
        try {
            job.run();
            return Optional.empty();
        } catch (ScenarioException e) {
            if (e.kind() == Kind.WRONG_USAGE) {
                throw e;
            }
            return Optional.of(e);
        } catch (IOException e) {
            LOG.error("the run failed", e);
            return Optional.of(
                    new ScenarioException(Kind.FAILED, Refusal.because(e).reason(), e));
        }
    }

    private static void cancel(Cluster cluster, SmallDisks disks, RunListeners listeners) {
        try (disks) {
            cluster.abandon();
        }
        listeners.cancelled().run();
    }

    private static void forget(Thread hook) throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            LOG.info("cancelled");
            hook.join();
        }
    }
}
