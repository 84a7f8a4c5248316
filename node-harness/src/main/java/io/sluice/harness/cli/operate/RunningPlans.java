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

/** What is fetched now, and by whom; for orders that name a plan. Stateless. */
final class RunningPlans {
    private RunningPlans() {}

    /** A node that executes a plan. */
    record Running(AdminClient node, String name, UUID planId) {}

    /**
     * The nodes that execute the one plan whose id begins with {@code plan}.
     *
     * @param verb what is to be done to it, for the error
     * @throws ConfigException if there is none, or more than one
     */
    static List<Running> find(Targets targets, String verb, String plan) throws IOException {
        List<Running> running = running(targets);
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

    private static List<Running> running(Targets targets) throws IOException {
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
