package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Which plan an order is about, and the nodes that execute it now. Not thread-safe. */
final class RunningPlans {
    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Parameters(index = "0", paramLabel = "PLAN", description = "Its id as netstats shows it; the first letters do.")
    private String plan = "";

    /** A node that executes a plan. */
    private record Running(AdminClient node, String name, UUID planId) {}

    /** What a node has to do with a plan. */
    interface Order {
        void give(AdminClient node, UUID planId) throws IOException;
    }

    /**
     * Gives {@code order} to the nodes that execute the plan.
     *
     * @param verb what is to be done to it, for the error, and {@code done}, what was done
     * @throws ConfigException if there is no such plan, or more than one
     */
    int order(String verb, String done, Order order) throws IOException {
        for (Running one : meant(verb)) {
            order.give(one.node(), one.planId());
            System.out.println(done + " plan " + one.planId() + " on " + one.name());
        }
        return 0;
    }

    private List<Running> meant(String verb) throws IOException {
        List<Running> running = running();
        List<Running> meant = running.stream()
                .filter(one -> one.planId().toString().startsWith(plan))
                .toList();
        Set<UUID> plans = new TreeSet<>(meant.stream().map(Running::planId).toList());
        if (plans.size() != 1) {
            throw new ConfigException(verb + " " + plan + ": "
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
        return meant;
    }

    private List<Running> running() throws IOException {
        List<Running> running = new ArrayList<>();
        for (TargetNodes.Answer<NetStats> answer : targets.ask(AdminClient::netStats)) {
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
