package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import io.sluice.harness.plan.ModeForecast;
import io.sluice.harness.plan.PlanView;
import io.sluice.harness.plan.RequestedChange;
import io.sluice.harness.plan.RingFile;
import io.sluice.harness.plan.StoredSSTables;
import io.sluice.harness.report.ExitCode;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice plan}. Not thread-safe. */
@Command(
        name = "plan",
        addMethodSubcommands = false,
        description = "Shows who would send what to whom, how long that takes and why; does nothing else.",
        footer = {
            "",
            "Examples:",
            "  ./sluice plan --ring conf/rings/example.yaml --operation replace-node --node n3 --with n7 --explain",
            "  ./sluice plan --ring my.yaml --operation replace-node --node n3 --explain --data n1=/var/lib/cassandra/data",
            "  ./sluice plan --ring conf/rings/example.yaml --operation bootstrap --node n7 --strict",
            "  ./sluice plan --ring conf/rings/example.yaml --operation rebuild --dc west --source-dc east"
        })
final class PlanCommand implements Callable<Integer> {
    @Option(
            names = "--ring",
            paramLabel = "FILE",
            required = true,
            description = "Nodes, keyspaces and sizes as YAML; conf/rings/example.yaml shows every key.")
    private Path ring = Path.of("");

    @Option(
            names = "--operation",
            paramLabel = "NAME",
            required = true,
            converter = OperationConverter.class,
            description = "bootstrap, replace-node, rebuild, decommission, removenode, move or load.")
    private RequestedChange.Kind operation = RequestedChange.Kind.BOOTSTRAP;

    @Option(names = "--node", paramLabel = "NAME", description = "The node that it is about.")
    private @Nullable String node;

    @Option(
            names = "--with",
            paramLabel = "NAME",
            description = "replace-node: the new node (default: one without a name).")
    private @Nullable String with;

    @Option(names = "--strict", description = "bootstrap: each range from the node that loses it.")
    private boolean strict;

    @Option(names = "--tokens", paramLabel = "TOKENS", split = ",", description = "move: where to.")
    private List<Long> tokens = new ArrayList<>();

    @Option(names = "--dc", paramLabel = "DC", description = "rebuild: all nodes of this data centre.")
    private @Nullable String dc;

    @Option(names = "--source-dc", paramLabel = "DC", split = ",", description = "rebuild: only from here.")
    private List<String> sourceDcs = new ArrayList<>();

    @Option(names = "--sources", paramLabel = "NAMES", split = ",", description = "rebuild: only from these nodes.")
    private List<String> sources = new ArrayList<>();

    @Option(names = "--exclude", paramLabel = "NAMES", split = ",", description = "rebuild: not from these nodes.")
    private List<String> excluded = new ArrayList<>();

    @Option(
            names = "--explain",
            description =
                    "Also in which modes the SSTables would travel, and why: those of --data as they lie, others by"
                            + " a model.")
    private boolean explain;

    @Option(
            names = "--data",
            paramLabel = "NODE=DIR",
            description = "The data directory of a node, with <keyspace>/<table>-<id> in it, for --explain and --json;"
                    + " for more nodes again.")
    private Map<String, Path> data = new HashMap<>();

    @Option(names = "--json", description = "As JSON, with every range, its spare sources, and the modes.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        RingFile file = RingFile.read(ring);
        RequestedChange requested = new RequestedChange(
                operation,
                Optional.ofNullable(node),
                Optional.ofNullable(with),
                strict,
                tokens,
                Optional.ofNullable(dc),
                new RequestedChange.From(sourceDcs, sources, excluded));
        requireData(file);
        StoredSSTables held = new StoredSSTables(data);
        TopologyPlan plan = requested.plan(file);
        PrintStream out = System.out;
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(PlanView.document(plan, modes(plan, file, held))));
        } else {
            if (explain) {
                PlanView.explain(modes(plan, file, held), held, out);
            }
            PlanView.print(plan, out);
        }
        return ExitCode.OK.number();
    }

    private void requireData(RingFile file) {
        if (!data.isEmpty() && !explain && !json) {
            throw new ConfigException("--data: only with --explain or --json (expected: one of them beside it)");
        }
        data.forEach((name, folder) -> {
            String known = file.node(name).name();
            if (!Files.isDirectory(folder)) {
                throw new ConfigException("--data " + known + "=" + folder
                        + ": no such folder (expected: the data directory of the node)");
            }
        });
    }

    private static List<ModeForecast.ForecastTransfer> modes(TopologyPlan plan, RingFile file, StoredSSTables held)
            throws IOException {
        return RequestedChange.modes(plan, file, held, ModeSettings.DEFAULTS);
    }
}
