package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.streaming.plan.Operation.Priority;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice prioritize PLAN PRIORITY}. Not thread-safe. */
@Command(
        name = "prioritize",
        addMethodSubcommands = false,
        description = {
            "Makes a running plan more or less urgent than its operation is.",
            "Where sessions of several plans wait for a slot at a source or for memory, the most urgent is next; a limit of"
                    + " what this node receives is shared in proportion: repair 1, rebalance 2, rebuild 4, replace 8."
        })
public final class PrioritizeCommand implements Callable<Integer> {
    @Mixin
    private RunningPlans plans = new RunningPlans();

    @Parameters(
            index = "1",
            paramLabel = "PRIORITY",
            converter = PriorityConverter.class,
            description = "repair, rebalance, rebuild or replace.")
    private Priority priority = Priority.REBALANCE;

    @Override
    public Integer call() throws IOException {
        return plans.order(
                "prioritize",
                "priority " + priority.word() + ":",
                (node, plan) -> node.prioritize(new AdminRequests.Prioritize(plan, priority)));
    }

    /** Reads a priority by its word. Stateless. */
    static final class PriorityConverter implements CommandLine.ITypeConverter<Priority> {
        @Override
        public Priority convert(String text) {
            return Arrays.stream(Priority.values())
                    .filter(one -> one.word().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.TypeConversionException("'" + text + "' (expected: "
                            + Arrays.stream(Priority.values())
                                    .map(Priority::word)
                                    .collect(Collectors.joining(", "))
                            + ")"));
        }
    }
}
