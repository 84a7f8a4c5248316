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
     * Gives {@code order} to the nodes that execute the plan, and prints which of them do not take it, or may execute
     * it and do not answer.
     *
     * @param verb what is to be done to it, for the error, and {@code done}, what was done
     * @return the exit code: 1 if there was such a node
     * @throws ConfigException if there is no such plan, or more than one
     * @throws IOException if there is none on the nodes that answer, and others do not
     */
    int order(String verb, String done, Order order) throws IOException {
        List<TargetNodes.Answer<NetStats>> answers = targets.ask(AdminClient::netStats);
        boolean allDone = true;
        for (TargetNodes.Answer<NetStats> answer : answers) {
            if (answer.value() == null) {
                System.err.println("sluice: " + answer.problem());
                allDone = false;
            }
        }
        for (Running one : meant(verb, running(answers), allDone)) {
            allDone &= TargetNodes.isDone(() -> {
                order.give(one.node(), one.planId());
                System.out.println(done + " plan " + one.planId() + " on " + one.name());
            });
        }
        return allDone ? 0 : 1;
    }

    private List<Running> meant(String verb, List<Running> running, boolean allAnswer) throws IOException {
        List<Running> meant = running.stream()
                .filter(one -> one.planId().toString().startsWith(plan))
                .toList();
        Set<UUID> plans = plans(meant);
        if (plans.size() > 1) {
            throw new ConfigException(
                    verb + " " + plan + ": that is the beginning of " + plans + " (expected: one of them)");
        }
        if (plans.isEmpty() && !allAnswer) {
            throw new IOException(
                    verb + " " + plan + ": no such plan is running on the nodes that answer; it may on the"
                            + " others (expected: " + expected(running, "all nodes to answer") + ")");
        }
        if (plans.isEmpty()) {
            throw new ConfigException(verb + " " + plan + ": no such plan is running (expected: "
                    + expected(running, "a plan that runs; nothing is streamed now") + ")");
        }
        return meant;
    }

    private static String expected(List<Running> running, String ifNone) {
        return running.isEmpty() ? ifNone : "one of " + plans(running);
    }

    private static Set<UUID> plans(List<Running> running) {
        return new TreeSet<>(running.stream().map(Running::planId).toList());
    }

    private static List<Running> running(List<TargetNodes.Answer<NetStats>> answers) {
        List<Running> running = new ArrayList<>();
        for (TargetNodes.Answer<NetStats> answer : answers) {
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
