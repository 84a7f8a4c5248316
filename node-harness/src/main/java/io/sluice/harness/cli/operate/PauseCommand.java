package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.PauseOrder;
import io.sluice.harness.cli.operate.RunningPlans.Running;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice pause PLAN}. Not thread-safe. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description =
                "Asks for nothing more of a plan until it is resumed; what is on its way arrives, and no deadline runs.")
public final class PauseCommand implements Callable<Integer> {
    @Mixin
    private Targets targets = new Targets();

    @Parameters(paramLabel = "PLAN", description = "Its id as netstats shows it; the first letters do.")
    private String plan = "";

    @Override
    public Integer call() throws IOException {
        for (Running one : RunningPlans.find(targets, "pause", plan)) {
            one.node().pause(new PauseOrder(one.planId(), true));
            System.out.println("paused plan " + one.planId() + " on " + one.name());
        }
        return 0;
    }
}
