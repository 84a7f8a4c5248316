package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.TextTable;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice ring}. Not thread-safe. */
@Command(
        name = "ring",
        addMethodSubcommands = false,
        description = "Shows whose tokens are where on the ring, and which part of it each node is the first to hold.")
public final class RingCommand implements Callable<Integer> {
    private static final double RING = 0x1p64;

    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Option(names = "--tokens", description = "A line for each token, not for each node.")
    private boolean tokens;

    @Option(names = "--json", description = "As JSON, with all tokens.")
    private boolean json;

    /** A node on the ring; {@code owns} is a share of 1. */
    record Place(String node, String dc, String rack, String address, double owns, List<String> tokens) {}

    @Override
    public Integer call() throws IOException {
        List<Node> nodes = new ArrayList<>();
        for (TargetNodes.Answer<NodeInfo> answer : targets.ask(AdminClient::status)) {
            NodeInfo status = answer.value();
            if (status == null) {
                System.err.println("sluice: " + answer.problem());
            } else {
                nodes.add(status.node());
            }
        }
        List<Place> places = places(nodes);
        if (json) {
            System.out.println(Json.MAPPER.writeValueAsString(places));
        } else {
            print(places);
        }
        return 0;
    }

    static List<Place> places(List<Node> nodes) {
        boolean hasTokens = nodes.stream().anyMatch(node -> !node.tokens().isEmpty());
        return nodes.stream()
                .map(node -> new Place(
                        node.name(),
                        node.location().dc(),
                        node.location().rack(),
                        node.address().toString(),
                        hasTokens ? owned(node, new Ring(nodes, 1)) : 0,
                        node.tokens().stream().map(Object::toString).toList()))
                .toList();
    }

    private static double owned(Node node, Ring ring) {
        double tokens = 0;
        for (TokenRange range : ring.primaryRangesOf(node).ranges()) {
            double width = (double) range.end().value() - (double) range.start().value();
            tokens += width <= 0 ? width + RING : width;
        }
        return tokens / RING;
    }

    private void print(List<Place> places) {
        TextTable table = tokens
                ? new TextTable("token", "node", "DC", "rack", "address", "owns, all tokens")
                : new TextTable("node", "DC", "rack", "address", "owns", "tokens", "first token");
        for (Place place : places) {
            String owns = String.format(Locale.ROOT, "%.1f %%", 100 * place.owns());
            if (tokens) {
                place.tokens()
                        .forEach(token ->
                                table.row(token, place.node(), place.dc(), place.rack(), place.address(), owns));
            } else {
                table.row(
                        place.node(),
                        place.dc(),
                        place.rack(),
                        place.address(),
                        owns,
                        Integer.toString(place.tokens().size()),
                        place.tokens().isEmpty() ? "-" : place.tokens().get(0));
            }
        }
        table.print(System.out);
    }
}
