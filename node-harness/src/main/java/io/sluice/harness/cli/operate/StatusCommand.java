package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.NodeSummary;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice status}. Not thread-safe. */
@Command(
        name = "status",
        addMethodSubcommands = false,
        description = "Shows which nodes are up, where they stand, and what they hold.")
public final class StatusCommand implements Callable<Integer> {
    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (json) {
            System.out.println(Json.MAPPER.writeValueAsString(targets.ask(AdminClient::status).stream()
                    .map(TargetNodes.Answer::value)
                    .toList()));
            return 0;
        }
        List<TargetNodes.Answer<NodeSummary>> answers = targets.ask(AdminClient::summary);
        TextTable table = new TextTable("", "node", "DC", "rack", "address", "admin", "load", "SSTables", "tables");
        for (TargetNodes.Answer<NodeSummary> answer : answers) {
            if (answer.value() == null) {
                String name = answer.node().nodeName();
                table.row("DN", name, "?", "?", "?", answer.node().address().toString(), "?", "?", answer.problem());
            } else {
                NodeSummary status = answer.value();
                table.row(
                        "U" + status.mode().letter(),
                        status.name(),
                        status.location().dc(),
                        status.location().rack(),
                        status.address().toString(),
                        answer.node().address().toString(),
                        ByteFormat.text(status.bytes()),
                        Long.toString(status.sstables()),
                        Integer.toString(status.tables()));
            }
        }
        System.out.println("U is up, D down; N is a normal member, J fetches what it will own, M moves.");
        table.print(System.out);
        volumes(answers).print(System.out);
        return 0;
    }

    /** Of nodes that have several, and of those of which the only one has failed. */
    private static TextTable volumes(List<TargetNodes.Answer<NodeSummary>> answers) {
        TextTable table = new TextTable("node", "volume", "free", "reserved", "headroom", "operations", "state");
        for (TargetNodes.Answer<NodeSummary> answer : answers) {
            List<VolumeStatus> volumes =
                    answer.value() == null ? List.of() : answer.value().volumes();
            if (volumes.size() == 1 && volumes.get(0).failure().isEmpty()) {
                continue;
            }
            for (VolumeStatus volume : volumes) {
                table.row(
                        answer.node().nodeName(),
                        volume.directory(),
                        ByteFormat.text(volume.freeBytes()),
                        ByteFormat.text(volume.reservedBytes()),
                        ByteFormat.text(volume.headroomBytes()),
                        Integer.toString(volume.operations()),
                        volume.failure().map(why -> "FAILED: " + why).orElse("good"));
            }
        }
        return table;
    }
}
