package io.sluice.harness.cli;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.receive.Follower;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ExitCode;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./sluice follow}. Not thread-safe. */
@Command(
        name = "follow",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Takes what Apache Cassandra's own sstableloader (4.1, 5.0), or a node, streams to an address of this machine.",
            "Each session becomes one folder, DIR/<address>-<port>/<plan>-<index>, whole and verified, or nothing."
        },
        footer = {
            "",
            "The loader asks a node for ring and schema, and streams to the nodes' addresses at the port that it is given.",
            "Take that port, and nothing goes to the node itself:",
            "  ./sluice follow --host 127.0.0.1 --listen 127.0.0.1:7100 --to arrived",
            "  sstableloader -d 127.0.0.1 --storage-port 7100 shop/users",
            "If the ring has several nodes, there is a session for each: give --listen once for each of their addresses.",
            "",
            "Encrypted, with a certificate on each side (the loader has its own under server_encryption_options of its",
            "cassandra.yaml); --plain-cql if the node's CQL is not encrypted:",
            "  ./sluice follow --host 127.0.0.1 --listen 127.0.0.1:7100 --to arrived \\",
            "      --keystore us.p12 --truststore trust.p12 --store-password-file password --plain-cql",
            "",
            "It goes on until Ctrl-C, or for --sessions N, and ends with 0 if all sessions were kept, 4 if some were,",
            "1 if none was, 3 if it could not begin, and 5 if Ctrl-C came while one was under way.",
            "Then ./sluice sstable verify DIR/<address>-<port>/<plan>-<index>, the folder of a session, or",
            "./sluice load DIR/<address>-<port>/<plan>-<index> --hosts ... to take it into another cluster."
        })
final class FollowCommand implements Callable<Integer> {
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

    @Option(names = "--sessions", paramLabel = "N", description = "End after so many (default: go on until Ctrl-C).")
    private @Nullable Integer sessions;

    @Option(names = "--json", paramLabel = "FILE", description = "Write at the end how each session ended, as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--allow-plaintext",
            description = "Listen without --keystore where other machines reach it: on a network that is yours alone.")
    private boolean allowsPlaintext;

    @Mixin
    private ContactOptions contact = new ContactOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (sessions != null && sessions < 1) {
            throw new ParameterException(spec.commandLine(), "--sessions " + sessions + " (expected: 1 or more)");
        }
        contact.requireKeyForIncoming();
        List<InetSocketAddress> addresses = new ArrayList<>();
        Optional<CassandraTls> tls = contact.streamingTls();
        for (String text : listen) {
            InetSocketAddress at = address(text);
            requirePrivacy(text, at, tls);
            addresses.add(at);
        }
        CqlCluster.Contact cql = contact.of(List.of(contact.address("--host", host, spec)));
        ReportFile.begin("--json", json);
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        var refusals = new RefusedConnections(System.err, System::nanoTime);
        List<Follower> followers = new ArrayList<>();
        try (CqlCluster cluster = CqlCluster.connect(cql);
                CassandraLinks links = contact.links()) {
            try {
                for (InetSocketAddress at : addresses) {
                    followers.add(follower(at, cluster, links, ended, refusals));
                }
                return follow(followers, ended);
            } finally {
                followers.forEach(Follower::close);
                refusals.summary();
            }
        } catch (StreamException refused) { // no session throws one
            String problem = refused.getMessage() + " (nothing is taken)";
            System.err.println("sluice: " + problem);
            LiveReport.refused("follow", host, problem).write(json);
            return ExitCode.REFUSED.number();
        }
    }

    private InetSocketAddress address(String text) {
        if (!contact.written("--listen", text, spec).hasPort()) {
            throw new ConfigException("--listen " + text + ": has no port (expected: host:port, as 127.0.0.1:7100)");
        }
        InetSocketAddress at = contact.address("--listen", text, spec);
        if (at.isUnresolved()) {
            throw new ConfigException("--listen " + text + ": is no address (expected: one of this machine)");
        }
        return at;
    }

    private void requirePrivacy(String text, InetSocketAddress at, Optional<CassandraTls> tls) {
        if (tls.isEmpty() && !allowsPlaintext && !at.getAddress().isLoopbackAddress()) {
            throw new ConfigException(
                    "--listen " + text + ": other machines reach it, and streams would be in plain text"
                            + " (give --keystore and --truststore, or listen at 127.0.0.1, or give --allow-plaintext if the"
                            + " network is yours alone)");
        }
    }

    private Follower follower(
            InetSocketAddress at,
            CqlCluster cluster,
            CassandraLinks links,
            BlockingQueue<Follower.Outcome> ended,
            RefusedConnections refusals)
            throws IOException {
        Path folder = target.resolve(at.getAddress().getHostAddress() + "-" + at.getPort());
        var order = new Follower.Order(at, folder, cluster::table, ContactOptions.TIMEOUT, ended::add, refusals);
        Follower follower;
        try {
            follower = Follower.start(order, links);
        } catch (IOException e) {
            throw cannotFollow(at, e);
        }
        InetSocketAddress bound = follower.address();
        System.out.println("Listening at " + Address.text(bound.getAddress().getHostAddress(), bound.getPort())
                + (links.isEncrypted() ? ", TLS with certificates on both sides" : ", not encrypted")
                + "; each session becomes a folder in " + folder);
        return follower;
    }

    /** With the option that is wrong: a failure that names a file is about the folder. */
    static StreamException cannotFollow(InetSocketAddress at, IOException failure) {
        String wrong = failure instanceof FileSystemException
                ? "--to "
                : "--listen " + Address.text(at.getAddress().getHostAddress(), at.getPort()) + ": ";
        return new StreamException(ErrorCode.DISK, wrong + Refusal.because(failure), failure);
    }

    /** Reports each session as it ends, and all of them at the end. */
    private int follow(List<Follower> followers, BlockingQueue<Follower.Outcome> ended)
            throws IOException, InterruptedException {
        System.out.println(
                sessions == null
                        ? "Ctrl-C ends it."
                        : "It ends after " + sessions + (sessions == 1 ? " session." : " sessions."));
        var code = new AtomicInteger(ExitCode.CANCELLED.number());
        // Nothing to be stopped: it is looked at each second.
        try (Interruption interruption = Interruption.of(() -> {}, code::get)) {
            var report = new FollowReport(System.out);
            for (int seen = 0; (sessions == null || seen < sessions) && !interruption.happened(); ) {
                Follower.Outcome outcome = ended.poll(1, TimeUnit.SECONDS);
                if (outcome == null) {
                    report.progress(underWay(followers));
                } else {
                    report.ended(outcome);
                    seen++;
                }
            }
            boolean isCut = interruption.happened() && !underWay(followers).isEmpty();
            followers.forEach(Follower::close); // ends what is under way
            ended.forEach(report::ended);
            code.set((isCut ? ExitCode.CANCELLED : report.code()).number());
            report.summary();
            report.document(host, code.get()).write(json);
            return code.get();
        }
    }

    private static List<Follower.Progress> underWay(List<Follower> followers) {
        return followers.stream().flatMap(one -> one.underWay().stream()).toList();
    }
}
