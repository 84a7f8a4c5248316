package io.sluice.harness.agent;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** What an agent is asked, and the files that it reads. Stateless. */
public final class AgentTargets {
    private static final List<Class<? extends Record>> ORDERS = List.of(
            AgentMessages.Keyspace.class,
            AgentMessages.SizeOrder.class,
            AgentMessages.Pin.class,
            AgentMessages.Unpin.class,
            AgentMessages.DigestOrder.class,
            AgentMessages.Fetch.class,
            AgentMessages.Cancel.class,
            AgentMessages.LandedOrder.class,
            AgentMessages.Import.class,
            AgentMessages.Mark.class,
            AgentMessages.LetGo.class,
            AgentMessages.End.class,
            LandedSet.class,
            AgentMessages.Discard.class,
            AgentMessages.Task.class,
            AgentMessages.Pause.class,
            AgentMessages.Throughput.class,
            AgentMessages.ArrivalsOrder.class,
            RebuildFile.Kept.class);

    /** Read as an agent reads its own files. */
    private static final Set<Class<? extends Record>> FILES = Set.of(LandedSet.class, RebuildFile.Kept.class);

    private AgentTargets() {}

    /** Which order it is, then its JSON. */
    public static void order(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Class<? extends Record> order = ORDERS.get(pieces.number() % ORDERS.size());
        (FILES.contains(order) ? Json.MAPPER : Json.ORDERS).readValue(pieces.rest(), order);
    }

    /** A node's cassandra.yaml. */
    public static void cassandraYaml(byte[] input) throws IOException {
        CassandraYaml.read(MemoryFiles.file("cassandra.yaml", input)).readsOa();
    }

    /** What a source has pinned. */
    public static void operation(byte[] input) throws IOException {
        new OperationFile(MemoryFiles.file("operation.json", input)).kept();
    }
}
