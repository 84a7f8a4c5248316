package io.sluice.netty;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Numbered tables, and nodes that hold them, for tests with many of both. */
final class TestTables {
    private TestTables() {}

    static TableRef table(int number) {
        return new TableRef(new UUID(0x1000, number), "ks", "t" + number);
    }

    static Path folder(Path data, TableRef table) throws IOException {
        String name = table.name() + "-" + table.id().toString().replace("-", "");
        return Files.createDirectories(data.resolve(table.keyspace()).resolve(name));
    }

    /** A store with that many tables, each of two SSTables; empty ones if {@code bytesOfEach} is 0. */
    static DirectoryStore store(Path data, int tables, long bytesOfEach) throws IOException {
        for (int i = 0; i < tables; i++) {
            Path folder = folder(data, table(i));
            if (bytesOfEach > 0) {
                new DataSetWriter(DataSet.ofBytes(i, bytesOfEach), Version.NB, WriterOptions.DEFAULTS).write(folder, 2);
            }
        }
        return new DirectoryStore(data, TableDirectory.find(data));
    }

    static Node node(String name) throws IOException {
        return node(id(name), name, FreePort.onLoopback());
    }

    /** The id of the node of that name, as {@link io.sluice.netty.security.TestAuthority} has it in certificates. */
    static UUID id(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    static Node node(UUID id, String name, int port) {
        return new Node(id, name, new Address("127.0.0.1", port), List.of());
    }

    static StreamPlan plan(Node source, int... tables) {
        List<StreamRequest> requests = new ArrayList<>();
        for (int table : tables) {
            requests.add(new StreamRequest(source, table(table), TokenRanges.FULL));
        }
        return new StreamPlan(UUID.randomUUID(), Operation.REPLACE, requests);
    }
}
