package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.CancelOrder;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice cancel PLAN}. Not thread-safe. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        description = "Ends a plan on all nodes that fetch for it; what is not installed yet is dropped.")
public final class CancelCommand implements Callable<Integer> {
    @Mixin
    private Targets targets = new Targets();

    @Parameters(paramLabel = "PLAN", description = "Its id as netstats shows it; the first letters do.")
    private String plan = "";

    private record Running(AdminClient node, String name, UUID planId) {}

    @Override
    public Integer call() throws IOException {
        List<Running> running = running();
        List<Running> meant = running.stream()
                .filter(one -> one.planId().toString().startsWith(plan))
                .toList();
        Set<UUID> plans = new TreeSet<>(meant.stream().map(Running::planId).toList());
        if (plans.size() != 1) {
            throw new ConfigException("cancel " + plan + ": "
                    + (plans.isEmpty() ? "no such plan is running" : "that is the beginning of " + plans)
                    + " (expected: "
                    + (running.isEmpty()
                            ? "a plan that runs; nothing is streamed now"
                            : "one of "
                                    + new TreeSet<>(running.stream()
                                            .map(Running::planId)
                                            .toList()))
                    + ")");
        }
        for (Running one : meant) {
            one.node().cancel(new CancelOrder(one.planId()));
            System.out.println("cancelled plan " + one.planId() + " on " + one.name());
        }
        return 0;
    }

    private List<Running> running() throws IOException {
        List<Running> running = new ArrayList<>();
        for (Targets.Answer<NetStats> answer : targets.ask(AdminClient::netStats)) {
            NetStats stats = answer.value();
            if (stats != null) {
                for (FetchState fetch : stats.fetches()) {
                    if (!fetch.hasEnded()) {
                        running.add(
                                new Running(answer.node(), stats.status().node().name(), fetch.planId()));
                    }
                }
            }
        }
        return running;
    }
}
