package io.sluice.harness.cli.cassandra;

import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ValueTypes;
import io.sluice.harness.json.Json;
import io.sluice.harness.replace.Join;
import io.sluice.harness.replace.JoinOrder;
import io.sluice.harness.replace.JoinProgress;
import io.sluice.harness.replace.JoinReport;
import io.sluice.harness.replace.RefusedException;
import io.sluice.harness.replace.UnsupportedKeyspaces;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.WorkProgress;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra replace-node}. Not thread-safe. */
@Command(
        name = "replace-node",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Brings the data of a node that takes the place of a dead one in a cluster of Apache Cassandra, from all live",
            "replicas, verified by digests, and lets it join. Beside each live node, and the new one, runs ./sluice agent;",
            "the new one has the hook in its JVM. See docs/cassandra-replace.md."
        },
        footer = {
            "",
            "Example, after the new node was started with -Dcassandra.replace_address_first_boot=10.0.0.3 and the hook:",
            "  ./sluice cassandra replace-node --dead 10.0.0.3 --with 10.0.0.4 --cql 10.0.0.1 --token-file agent.token \\",
            "      --agent 127.0.0.1:7181 --agent 127.0.0.1:7182 --agent 127.0.0.1:7184",
            "",
            "Run again after any failure, it goes on. It ends with 0 if the node has joined with what was verified, 4 if",
            "some keyspaces were left to Cassandra, 1 if it failed (the node waits on), 3 if it was refused."
        })
final class ReplaceNodeCommand implements Callable<Integer> {
    private static final int CQL_PORT = 9042;

    @Option(
            names = "--dead",
            paramLabel = "HOST",
            required = true,
            description = "The dead node, as the ring calls it.")
    private String dead = "";

    @Option(
            names = "--with",
            paramLabel = "HOST",
            required = true,
            description = "The node that takes its place, at another address.")
    private String with = "";

    @Mixin
    private NamedAgents agents = new NamedAgents();

    @Option(
            names = "--cql",
            paramLabel = "HOST[:PORT]",
            required = true,
            description = "A live node that says over CQL which tables take no files.")
    private String cql = "";

    @Option(names = "--cql-user", paramLabel = "NAME", description = "Login of CQL; wants --cql-password-file.")
    private @Nullable String user;

    @Option(names = "--cql-password-file", paramLabel = "FILE", description = "Its first line is the password.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--from",
            paramLabel = "one|all-replicas",
            defaultValue = "all-replicas",
            description = "Who sends a range: every live replica, so that a write that one has missed is there all the"
                    + " same, or the one that Cassandra chooses (default: ${DEFAULT-VALUE}).")
    private String from = "";

    @Option(
            names = "--dry-run",
            description = "Show refusals, who would send what, how much, and for how long; change nothing.")
    private boolean isDryRun;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "100MiB/s",
            description = "What --dry-run assumes for its estimate of time (default: ${DEFAULT-VALUE}).")
    private String rate = "";

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description = "What the new node receives at most, as 24MiB/s; 0 for no limit (default: as it is, from"
                    + " sluice.yaml or set-throughput).")
    private @Nullable Long throttle;

    @Option(
            names = "--abort",
            paramLabel = "REASON",
            description =
                    "Let the new node go on by itself at once; remove the snapshots, and what landed for nothing.")
    private @Nullable String abortReason;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description =
                    "How long each wait may last: for the new node to ask for data, for others to know of it, for it"
                            + " to have joined (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the report as JSON, too.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        JoinOrder order = new JoinOrder(
                Operation.REPLACE,
                Optional.of(dead),
                with,
                source(),
                Duration.ofSeconds(timeoutSeconds),
                Optional.ofNullable(throttle));
        JoinProgress progress = new JoinProgress(System.out::println);
        Join join = new Join(order, agents.members(), abortReason == null ? leftToCassandra() : Map.of(), progress);
        if (abortReason != null) {
            join.abort(abortReason);
            return ExitCode.OK.number();
        }
        try {
            if (isDryRun) {
                return (join.dryRun(rateBytesPerSecond()) ? ExitCode.OK : ExitCode.REFUSED).number();
            }
            return done(shown(join, progress));
        } catch (RefusedException e) {
            String refused = String.valueOf(e.getMessage());
            refused.lines().forEach(reason -> System.err.println("sluice: " + reason));
            return ExitCode.REFUSED.number();
        }
    }

    private static JoinReport shown(Join join, JoinProgress progress) throws IOException, InterruptedException {
        try (WorkProgress shown = WorkProgress.of(progress::step, progress::details)) {
            progress.sayTo(line -> shown.aside(() -> System.out.println(line)));
            return join.run();
        }
    }

    private Integer done(JoinReport report) throws IOException {
        report.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "node %s has taken the place of %s: %s, held for %.1f s%n",
                with,
                dead,
                report.transfers().isEmpty()
                        ? "nothing was brought"
                        : ByteFormat.text(report.bytes()) + " brought, with equal digests, and imported",
                report.held().toMillis() / 1000.0);
        if (json != null) {
            Files.writeString(json, Json.MAPPER.writeValueAsString(report));
        }
        return (report.leftToCassandra().isEmpty() ? ExitCode.OK : ExitCode.PARTLY).number();
    }

    private long rateBytesPerSecond() {
        long bytes = ValueTypes.rate("--rate", rate);
        if (bytes < 1) {
            throw new ConfigException("--rate " + rate + " (expected: more than 0)");
        }
        return bytes;
    }

    private JoinOrder.From source() {
        return switch (from) {
            case "one" -> JoinOrder.From.ONE;
            case "all-replicas" -> JoinOrder.From.ALL_REPLICAS;
            default -> throw new ConfigException("--from " + from + " (expected: one or all-replicas)");
        };
    }

    private Map<String, String> leftToCassandra() throws IOException {
        Optional<CqlCluster.Credentials> login = Optional.empty();
        if (user != null) {
            if (passwordFile == null) {
                throw new ConfigException("--cql-user: wants --cql-password-file beside it");
            }
            login = Optional.of(new CqlCluster.Credentials(
                    user, Files.readString(passwordFile).lines().findFirst().orElse("")));
        }
        Address address = NamedAgents.address("--cql", cql.contains(":") ? cql : cql + ":" + CQL_PORT);
        try (Cql session =
                Cql.connect(new InetSocketAddress(address.host(), address.port()), login, Optional.empty())) {
            return UnsupportedKeyspaces.leftToCassandra(session);
        }
    }
}
