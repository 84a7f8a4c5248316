package io.sluice.bench.replace;

import io.sluice.bench.process.FullPageCache;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.sstable.TableDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** All repetitions of one case. Not thread-safe; used once. */
final class CaseRun {
    private final ReplaceCase shape;
    private final int repetitions;
    private final Path home;
    private final PrintStream people;
    private final AtomicReference<Step> step;
    private final WorkProgress shown;

    /**
     * @param home a folder for nodes; made and removed
     * @param step learns how far it is: {@link #steps} of them
     */
    CaseRun(
            ReplaceCase shape,
            int repetitions,
            Path home,
            PrintStream people,
            AtomicReference<Step> step,
            WorkProgress shown) {
        this.shape = shape;
        this.repetitions = repetitions;
        this.home = home;
        this.people = people;
        this.step = step;
        this.shown = shown;
    }

    /** How many steps a case has: the cluster of Cassandra, and each replacement. */
    static int steps(int contenders, int repetitions) {
        return 1 + contenders * repetitions;
    }

    /**
     * Runs all, and leaves nothing behind.
     *
     * @param hook if agents are to join in: the jar of the hook
     */
    ReplaceResult.CaseResult run(
            TableDirectory table, RunningCassandra.Binaries binaries, SluiceConfig config, Optional<Path> hook)
            throws IOException, InterruptedException {
        note(shape.nodes() + " nodes of Cassandra start, and get the table");
        try (RunningCassandra cassandra = RunningCassandra.start(shape, table, home.resolve("cassandra"), binaries)) {
            note("the page cache is filled");
            try (FullPageCache memory = FullPageCache.in(home)) {
                Arena arena = arena(cassandra, memory);
                cassandra.killLast();
                done();
                return run(cassandra, arena, table, config, hook);
            }
        }
    }

    private ReplaceResult.CaseResult run(
            RunningCassandra cassandra, Arena arena, TableDirectory table, SluiceConfig config, Optional<Path> hook)
            throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>(List.of(
                new CassandraReplaces(cassandra, arena),
                new SluiceReplaces(arena, cassandra.options().tokens(), config)));
        hook.ifPresent(jar -> contenders.add(new AgentsReplace(cassandra, arena, jar)));
        Map<Contender, List<Replacement>> runs = new LinkedHashMap<>();
        for (int repetition = 0; repetition < repetitions; repetition++) {
            List<Contender> turn = new ArrayList<>(contenders);
            Collections.rotate(turn, repetition);
            for (Contender contender : turn) {
                Replacement one = replace(contender, repetition);
                runs.computeIfAbsent(contender, any -> new ArrayList<>()).add(one);
                done();
            }
        }
        long bytes = arena.dead().bytes();
        List<ReplaceResult.Row> rows = ReplaceResult.rows(runs, bytes);
        return new ReplaceResult.CaseResult(
                shape.toString(),
                shape.what(),
                table.keyspace() + "." + table.name(),
                bytes,
                arena.dead().sstables().size(),
                arena.expected().hex(),
                rows,
                ReplaceResult.ratios(rows));
    }

    private Arena arena(RunningCassandra cassandra, FullPageCache memory) throws IOException {
        List<GivenNode> nodes = new ArrayList<>();
        Path sluice = home.resolve("sluice");
        for (LocalNode node : cassandra.nodes()) {
            Path data = sluice.resolve(SluiceReplaces.name(node.number())).resolve("data");
            nodes.add(GivenNode.linked(node.data(), cassandra.table(), data));
        }
        note("the dead node's content is read");
        return new Arena(sluice, nodes, nodes.get(nodes.size() - 1).stored(), memory);
    }

    private Replacement replace(Contender contender, int repetition) throws IOException, InterruptedException {
        String which = (repetition + 1) + " of " + repetitions;
        Replacement done = contender.replace(what -> note(which + ", " + contender.name() + ": " + what));
        shown.aside(() -> people.printf(
                Locale.ROOT,
                "%s %s  %-16s %7.2f s  %s received as %s%n",
                shape,
                which,
                contender.name(),
                done.seconds(),
                ByteFormat.text(done.movedBytes()),
                done.mode()));
        return done;
    }

    private void note(String what) {
        step.updateAndGet(now -> now.noting(shape + ": " + what));
    }

    private void done() {
        step.updateAndGet(now -> now.plus(1));
    }
}
