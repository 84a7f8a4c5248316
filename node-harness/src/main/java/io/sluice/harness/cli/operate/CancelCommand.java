package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.CancelOrder;
import io.sluice.harness.cli.operate.RunningPlans.Running;
import java.io.IOException;
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

    @Override
    public Integer call() throws IOException {
        for (Running one : RunningPlans.find(targets, "cancel", plan)) {
            one.node().cancel(new CancelOrder(one.planId()));
            System.out.println("cancelled plan " + one.planId() + " on " + one.name());
        }
        return 0;
    }
}
