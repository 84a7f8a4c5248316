package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.cluster.Endpoints;
import io.sluice.harness.config.ConfigException;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which nodes a command talks to. Not thread-safe. */
final class TargetNodes {
    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "All nodes of the run that works there (default: work in Sluice's folder).")
    private @Nullable Path workDir;

    @Option(
            names = "--host",
            paramLabel = "HOST:PORT",
            description = "In place of --work-dir: the admin endpoint of a node; may be given several times.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The admin_token_file of those nodes (default: admin.token in the work directory).")
    private @Nullable Path tokenFile;

    /** What is asked of one node. */
    interface NodeQuery<T> {
        T ask(AdminClient node) throws IOException;
    }

    /** What one node has to do. */
    interface NodeOrder {
        void give() throws IOException;
    }

    /** An answer, or why there is none. */
    record Answer<T>(AdminClient node, @Nullable T value, String problem) {}

    /**
     * The nodes, by name.
     *
     * @throws ConfigException if none are named, or no run is there
     */
    Map<String, AdminClient> clients() throws IOException {
        Map<String, AdminClient> clients = new LinkedHashMap<>();
        if (hosts.isEmpty()) {
            Endpoints endpoints = endpoints();
            AdminToken token = token();
            new TreeMap<>(endpoints.admin())
                    .forEach((name, address) -> clients.put(name, new AdminClient(name, address, token)));
            return clients;
        }
        for (String host : hosts) {
            try {
                clients.put(host, new AdminClient(host, Address.parse(host), token()));
            } catch (IllegalArgumentException e) {
                throw new ConfigException("--host " + host + ": not an address (expected: HOST:PORT)", e);
            }
        }
        return clients;
    }

    private AdminToken token() {
        Path file = tokenFile == null ? AdminToken.file(work()) : tokenFile;
        return TextFile.token(file, "the admin_token_file of the nodes that are asked");
    }

    private Path work() {
        return workDir == null ? Path.of(System.getProperty("sluice.home", "."), "work") : workDir;
    }

    private Endpoints endpoints() throws IOException {
        Path work = work();
        if (!Files.exists(Endpoints.file(work))) {
            throw new ConfigException("--work-dir " + work
                    + ": no run is going on there (expected: the work directory of one, or --host HOST:PORT)");
        }
        return Endpoints.read(work);
    }

    /**
     * Asks all nodes.
     *
     * @throws AdminException if none of them answers
     */
    <T> List<Answer<T>> ask(NodeQuery<T> question) throws IOException {
        List<Answer<T>> answers = new ArrayList<>();
        AdminException first = null;
        for (AdminClient client : clients().values()) {
            try {
                answers.add(new Answer<>(client, question.ask(client), ""));
            } catch (AdminException e) {
                first = first == null ? e : first;
                answers.add(new Answer<>(client, null, String.valueOf(e.getMessage())));
            }
        }
        if (first != null && answers.stream().allMatch(answer -> answer.value() == null)) {
            throw first;
        }
        return answers;
    }

    /**
     * Gives an order; returns whether the node took it, and prints why not: the other nodes are to have it all the
     * same.
     */
    static boolean isDone(NodeOrder order) throws IOException {
        try {
            order.give();
            return true;
        } catch (AdminException e) {
            System.err.println("sluice: " + e.getMessage());
            return false;
        }
    }
}
