package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.ThroughputOrder;
import io.sluice.harness.config.ValueType;
import io.sluice.harness.report.Bytes;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice set-throughput RATE}. Not thread-safe. */
@Command(
        name = "set-throughput",
        mixinStandardHelpOptions = true,
        description = "Limits what each node sends from now on, also while bytes flow; until the node ends.")
public final class SetThroughputCommand implements Callable<Integer> {
    @Mixin
    private Targets targets = new Targets();

    @Parameters(paramLabel = "RATE", description = "As 24MiB/s; 0 for no limit.")
    private String rate = "";

    @Option(
            names = "--entire-sstable",
            description =
                    "As nodetool has it. There is one limit so far, of whole SSTables and slices together, so it is"
                            + " the same with and without.")
    private boolean entireSSTable;

    @Override
    public Integer call() throws IOException {
        long bytesPerSecond = (Long) ValueType.RATE.read("RATE", rate);
        String limit = bytesPerSecond == 0 ? "without limit" : "at most " + Bytes.text(bytesPerSecond) + "/s";
        boolean allTold = true;
        for (Targets.Answer<String> answer : targets.ask(node -> {
            node.setThroughput(new ThroughputOrder(bytesPerSecond));
            return node.status().node().name();
        })) {
            allTold &= answer.value() != null;
            if (answer.value() == null) {
                System.err.println("sluice: " + answer.problem());
            } else {
                System.out.println(
                        answer.value() + " sends " + limit + (entireSSTable ? ", whole SSTables and slices" : ""));
            }
        }
        return allTold ? 0 : 1;
    }
}
