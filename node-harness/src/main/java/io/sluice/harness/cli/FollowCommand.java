package io.sluice.harness.cli;

import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.receive.Follower;
import io.sluice.cassandra.ring.Cluster;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.Bytes;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice follow}. Not thread-safe. */
@Command(
        name = "follow",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes what Apache Cassandra's own sstableloader, or a node, streams to an address of this machine.",
            "Each session becomes one folder, DIR/<address>-<port>/<plan>-<index>, whole and verified, or nothing."
        },
        footer = {
            "",
            "The loader streams to the nodes' addresses, at the storage port that it is told. In place of a node:",
            "  ./sluice follow --host 127.0.0.1 --listen 127.0.0.1:7100 --to arrived",
            "  sstableloader -d 127.0.0.1 --storage-port 7100 shop/users"
        })
final class FollowCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration NETWORK_TIMEOUT = Duration.ofMinutes(2);
    private static final int EVENT_LOOPS = 2;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            required = true,
            description = "Who knows the tables: a node, as host or host:port of CQL (default port: 9042).")
    private String host = "";

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            required = true,
            description = "Where streams are taken; may be repeated, one for each address that is streamed to.")
    private List<String> listen = new ArrayList<>();

    @Option(names = "--to", paramLabel = "DIR", required = true, description = "Where what arrives lies.")
    private Path target = Path.of("");

    @Option(
            names = "--sessions",
            paramLabel = "N",
            description = "End after so many sessions, with 1 if one failed (default: go on until Ctrl-C).")
    private int sessions;

    @Mixin
    private Contact contact = new Contact();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        List<Follower> followers = new ArrayList<>();
        try (Cluster cluster = Cluster.connect(contact.of(List.of(contact.address("--host", host, spec))));
                Links links = Links.create(contact.streamingTls(), EVENT_LOOPS, NETWORK_TIMEOUT)) {
            try {
                for (String text : listen) {
                    followers.add(follower(text, cluster, links, ended));
                }
                return report(ended, System.out);
            } finally {
                followers.forEach(Follower::close);
            }
        }
    }

    private Follower follower(String text, Cluster cluster, Links links, BlockingQueue<Follower.Outcome> ended)
            throws IOException {
        if (text.lastIndexOf(':') < 0) {
            throw new ConfigException("--listen " + text + ": has no port (expected: host:port, as 127.0.0.1:7100)");
        }
        InetSocketAddress at = contact.address("--listen", text, spec);
        if (at.isUnresolved()) {
            throw new ConfigException("--listen " + text + ": is no address (expected: one of this machine)");
        }
        Path folder = target.resolve(at.getAddress().getHostAddress() + "-" + at.getPort());
        Follower follower = Follower.start(new Follower.Order(at, folder, cluster::table, PATIENCE, ended::add), links);
        System.out.println("Listening at " + text + ", what comes goes to " + folder);
        return follower;
    }

    private int report(BlockingQueue<Follower.Outcome> ended, PrintStream out) throws InterruptedException {
        boolean allWell = true;
        for (int seen = 0; sessions == 0 || seen < sessions; seen++) {
            Follower.Outcome outcome = ended.take();
            allWell &= outcome.failure().isEmpty();
            out.println(describe(outcome));
        }
        return (allWell ? ExitCode.OK : ExitCode.FAILED).number();
    }

    private static String describe(Follower.Outcome outcome) {
        String who = "Plan " + outcome.planId() + ", " + outcome.operation() + " of "
                + outcome.from().getAddress().getHostAddress() + ": ";
        if (outcome.failure().isPresent()) {
            return who + "nothing was kept: " + outcome.failure().get();
        }
        return who
                + outcome.folder()
                        .map(folder -> String.format(
                                Locale.ROOT,
                                "%d %s, %s in %.1f s, %.0f MB/s, verified: %s",
                                outcome.sstables(),
                                outcome.sstables() == 1 ? "SSTable" : "SSTables",
                                Bytes.text(outcome.receivedBytes()),
                                outcome.seconds(),
                                Bytes.megabytesPerSecond(outcome.receivedBytes(), outcome.seconds()),
                                folder))
                        .orElse("nothing was to come");
    }
}
