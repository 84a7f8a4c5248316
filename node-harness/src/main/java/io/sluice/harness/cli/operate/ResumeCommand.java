package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.PauseOrder;
import io.sluice.harness.cli.operate.RunningPlans.Running;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice resume PLAN}. Not thread-safe. */
@Command(name = "resume", mixinStandardHelpOptions = true, description = "Goes on with a plan that was paused.")
public final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private Targets targets = new Targets();

    @Parameters(paramLabel = "PLAN", description = "Its id as netstats shows it; the first letters do.")
    private String plan = "";

    @Override
    public Integer call() throws IOException {
        for (Running one : RunningPlans.find(targets, "resume", plan)) {
            one.node().pause(new PauseOrder(one.planId(), false));
            System.out.println("resumed plan " + one.planId() + " on " + one.name());
        }
        return 0;
    }
}
