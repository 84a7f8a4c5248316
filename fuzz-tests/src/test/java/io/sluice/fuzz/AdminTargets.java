package io.sluice.fuzz;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.NodeSummary;
import io.sluice.harness.cli.sstable.TokenRangeParser;
import io.sluice.harness.json.Json;
import io.sluice.harness.json.JsonTree;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What the admin endpoint is asked, and addresses. Stateless. */
final class AdminTargets {
    private static final List<Class<? extends Record>> ORDERS = List.of(
            AdminRequests.Fetch.class,
            AdminRequests.Digest.class,
            AdminRequests.Cancel.class,
            AdminRequests.Pause.class,
            AdminRequests.Throughput.class,
            AdminRequests.DiskRate.class,
            AdminRequests.CreateTable.class,
            AdminRequests.Write.class,
            AdminRequests.Read.class);

    private static final CommandSpec COMMAND = new CommandLine(CommandSpec.create()).getCommandSpec();

    private AdminTargets() {}

    /** Which order it is, then its JSON. */
    static void order(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Class<? extends Record> order = ORDERS.get(pieces.number() % ORDERS.size());
        Json.ORDERS.readValue(pieces.rest(), order);
    }

    /** What a node answers to {@code ./sluice status}. */
    static void summary(byte[] input) throws IOException {
        NodeSummary.of(JsonTree.read(TextTargets.text(input)));
    }

    /** Two tokens, as commands take them. */
    static void range(byte[] input) {
        TokenRangeParser.parse(TextTargets.text(input), "--range", COMMAND);
    }

    /** A host and a port. */
    static void address(byte[] input) {
        Address.parse(TextTargets.text(input));
    }
}
