package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminRequests;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice resume PLAN}. Not thread-safe. */
@Command(name = "resume", addMethodSubcommands = false, description = "Goes on with a plan that was paused.")
public final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private RunningPlans plans = new RunningPlans();

    @Override
    public Integer call() throws IOException {
        return plans.order("resume", "resumed", (node, plan) -> node.pause(new AdminRequests.Pause(plan, false)));
    }
}
