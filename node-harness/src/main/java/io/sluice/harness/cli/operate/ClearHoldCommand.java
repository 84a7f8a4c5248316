package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.HoldStatus;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice clear-hold WHO}. Not thread-safe. */
@Command(
        name = "clear-hold",
        addMethodSubcommands = false,
        description = "Lets a peer in again that is on hold for violating the protocol again and again.")
public final class ClearHoldCommand implements Callable<Integer> {
    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Parameters(
            paramLabel = "WHO",
            description =
                    "As netstats shows it, without quotes: address 10.0.0.7, or certificate and its first letters.",
            arity = "1..2")
    private String[] who = {};

    @Override
    public Integer call() throws IOException {
        String wanted = String.join(" ", who);
        boolean allDone = true;
        int found = 0;
        for (TargetNodes.Answer<NetStats> answer : targets.ask(AdminClient::netStats)) {
            NetStats stats = answer.value();
            if (stats == null) {
                System.err.println("sluice: " + answer.problem());
                allDone = false;
                continue;
            }
            List<HoldStatus> meant =
                    stats.holds().stream().filter(hold -> hold.isNamed(wanted)).toList();
            found += meant.size();
            for (HoldStatus hold : meant) {
                allDone &= TargetNodes.isDone(() -> clear(answer.node(), stats, hold));
            }
        }
        if (found == 0 && allDone) {
            throw new ConfigException(wanted + ": nobody of that name is on hold (expected: as netstats shows it)");
        }
        if (found == 0) {
            throw new IOException(wanted + ": nobody of that name is on hold at the nodes that answer"
                    + " (expected: all nodes to answer, and a name as netstats shows it)");
        }
        return allDone ? 0 : 1;
    }

    private static void clear(AdminClient node, NetStats stats, HoldStatus hold) throws IOException {
        node.clearHold(new AdminRequests.ClearHold(hold.who()));
        System.out.println(
                "cleared: " + hold.who() + " on " + stats.status().node().name());
    }
}
