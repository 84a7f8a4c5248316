package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminRequests;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice cancel PLAN}. Not thread-safe. */
@Command(
        name = "cancel",
        addMethodSubcommands = false,
        description = "Ends a plan on all nodes that fetch for it; what is not installed yet is dropped.")
public final class CancelCommand implements Callable<Integer> {
    @Mixin
    private RunningPlans plans = new RunningPlans();

    @Override
    public Integer call() throws IOException {
        return plans.order("cancel", "cancelled", (node, plan) -> node.cancel(new AdminRequests.Cancel(plan)));
    }
}
