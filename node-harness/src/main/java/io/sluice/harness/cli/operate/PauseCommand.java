package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminRequests;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice pause PLAN}. Not thread-safe. */
@Command(
        name = "pause",
        addMethodSubcommands = false,
        description =
                "Asks for nothing more of a plan until it is resumed; what is on its way arrives. Only a silent peer and a"
                        + " running install can time out meanwhile.")
public final class PauseCommand implements Callable<Integer> {
    @Mixin
    private RunningPlans plans = new RunningPlans();

    @Override
    public Integer call() throws IOException {
        return plans.order("pause", "paused", (node, plan) -> node.pause(new AdminRequests.Pause(plan, true)));
    }
}
