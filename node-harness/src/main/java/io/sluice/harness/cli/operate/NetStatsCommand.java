package io.sluice.harness.cli.operate;

import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice netstats}. Not thread-safe. */
@Command(
        name = "netstats",
        addMethodSubcommands = false,
        description =
                "Shows what each node streams: how far, how fast, how long still, and what each session waits for.")
public final class NetStatsCommand implements Callable<Integer> {
    private static final long BETWEEN_SAMPLES_MILLIS = 1000;
    /** A limited transfer comes in bursts: a shorter look would see none of them, or too many. */
    private static final long ONE_LOOK_MILLIS = 2000;

    private static final int SAMPLES_OF_A_RATE = 10;
    private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Option(
            names = "--watch",
            description = "Shows it again each second, until it is interrupted or the nodes are gone.")
    private boolean watch;

    @Option(names = "--all", description = "Also plans that have ended.")
    private boolean all;

    @Option(names = "--json", description = "As JSON; with --watch a document on each line.")
    private boolean json;

    /** A node that does not answer is reported once, not each second. */
    private final Set<String> reported = new HashSet<>();

    /** What was there at a time. */
    private record Sample(List<NetStats> stats, long nanos) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        Deque<Sample> window = new ArrayDeque<>();
        if (!watch) {
            window.add(new Sample(sample(), System.nanoTime()));
            Thread.sleep(ONE_LOOK_MILLIS); // there is no rate in one look
        }
        while (true) {
            Optional<List<NetStats>> stats = sampleUnlessGone(watch && !window.isEmpty());
            if (stats.isEmpty()) {
                System.err.println("sluice: the nodes are gone");
                return ExitCode.OK.number();
            }
            Sample now = new Sample(stats.get(), System.nanoTime());
            window.add(now);
            Sample earliest = window.getFirst();
            show(StreamingView.of(earliest.stats(), now.stats(), (now.nanos() - earliest.nanos()) / 1e9));
            if (!watch) {
                return 0;
            }
            if (System.out.checkError()) {
                return ExitCode.FAILED.number(); // nobody looks any more, which is said at the end of the process
            }
            if (window.size() > SAMPLES_OF_A_RATE) {
                window.removeFirst();
            }
            Thread.sleep(BETWEEN_SAMPLES_MILLIS);
        }
    }

    /** Empty if they were there before, and the run has ended, or nobody listens any more. */
    private Optional<List<NetStats>> sampleUnlessGone(boolean wereThere) throws IOException {
        try {
            return Optional.of(sample());
        } catch (ConfigException | AdminException e) {
            boolean isThere = e instanceof AdminException answer
                    && (answer.isRefused() || answer.getCause() instanceof SocketTimeoutException);
            if (isThere || !wereThere) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private List<NetStats> sample() throws IOException {
        List<NetStats> stats = new ArrayList<>();
        for (TargetNodes.Answer<NetStats> answer : targets.ask(AdminClient::netStats)) {
            if (answer.value() == null) {
                if (reported.add(answer.problem())) {
                    System.err.println("sluice: " + answer.problem());
                }
            } else {
                stats.add(answer.value());
            }
        }
        return stats;
    }

    private void show(StreamingView view) throws IOException {
        if (json) {
            System.out.println(
                    watch
                            ? Json.MAPPER
                                    .writer()
                                    .without(SerializationFeature.INDENT_OUTPUT)
                                    .writeValueAsString(view)
                            : Json.MAPPER.writeValueAsString(view));
            return;
        }
        if (watch && Boolean.getBoolean("sluice.terminal")) {
            System.out.print(CLEAR_SCREEN);
        }
        view.print(System.out, all);
        System.out.flush();
    }
}
