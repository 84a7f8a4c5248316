package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
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
        int cleared = 0;
        for (TargetNodes.Answer<NetStats> answer : targets.ask(AdminClient::netStats)) {
            if (answer.value() == null) {
                System.err.println("sluice: " + answer.problem());
                continue;
            }
            for (var hold : answer.value().holds()) {
                if (hold.isNamed(wanted)) {
                    answer.node().clearHold(new AdminRequests.ClearHold(hold.who()));
                    cleared++;
                    System.out.println("cleared: " + hold.who() + " on "
                            + answer.value().status().node().name());
                }
            }
        }
        if (cleared == 0) {
            throw new ConfigException(wanted + ": nobody of that name is on hold (expected: as netstats shows it)");
        }
        return 0;
    }
}
