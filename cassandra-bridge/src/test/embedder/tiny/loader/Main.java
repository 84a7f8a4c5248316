package tiny.loader;

import io.netty.channel.epoll.Epoll;
import io.netty.handler.ssl.OpenSsl;
import io.netty.util.Version;
import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.receive.Follower;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Streams a table to a receiver in this process, in Cassandra's dialect: in plain text, then encrypted. Arguments: the
 * folder of the table, a folder for what is received, a PKCS#12 file that is key and trust of both ends with the
 * password {@code secret}, a port where nobody listens. Prints the version of Netty, what carried the bytes, and the
 * module that did; then how a CQL connection fails. Lines of the receiver's begin with {@code note: }.
 */
public final class Main {
    private static final UUID ID = new UUID(1, 2);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Path table = Path.of(arguments[0]);
        Path target = Path.of(arguments[1]);
        CassandraTls.Store store = new CassandraTls.Store(Path.of(arguments[2]), "secret");
        stream(table, target.resolve("plain"), Optional.empty());
        stream(table, target.resolve("tls"), Optional.of(CassandraTls.of(store, Optional.of(store), false)));
        InetSocketAddress nobody =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[3]));
        try (CqlCluster ring = CqlCluster.connect(
                new CqlCluster.Contact(List.of(nobody), Optional.empty(), Optional.empty(), 7000))) {
            System.out.println("connected to " + ring);
        } catch (StreamException e) {
            System.out.println("CQL: " + e.code());
        }
        System.exit(0); // the driver leaves threads behind
    }

    private static void stream(Path table, Path target, Optional<CassandraTls> tls) throws Exception {
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        Follower.Order order = new Follower.Order(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                target,
                id -> Optional.of(new TableRef(id, "shop", "users")),
                TIMEOUT,
                ended::add,
                note -> System.out.println("note: " + note)); // as of a second connection that had nothing to send
        try (CassandraLinks links = CassandraLinks.create(tls, 1, TIMEOUT);
                Follower follower = Follower.start(order, links)) {
            CassandraNode node = new CassandraNode(ID, follower.address(), "dc1", "5.0.9");
            LiveTable live = new LiveTable("shop", "users", ID, "", List.of());
            Receiver receiver = new Receiver(node, TokenRanges.FULL, 12);
            Push.Order push = new Push.Order(
                    follower.address(),
                    UUID.randomUUID(),
                    0,
                    ID,
                    LoadPlanner.plan(live, open(table), List.of(receiver)).get(0).transfers(),
                    2,
                    TIMEOUT);
            var failure = new Push(push, links, new SharedThrottle(0), sentBytes -> {}).run();
            Follower.Outcome outcome = ended.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            if (failure.isPresent() || outcome == null || outcome.failure().isPresent()) {
                throw new AssertionError(failure + " " + outcome);
            }
            String encryption = tls.isEmpty() ? "plain" : OpenSsl.isAvailable() ? "BoringSSL" : "JDK";
            System.out.println(Version.identify().get("netty-common").artifactVersion()
                    + (Epoll.isAvailable() ? " epoll " : " nio ") + encryption + " "
                    + Follower.class.getModule().getName());
        }
    }

    private static List<SSTable> open(Path folder) throws Exception {
        List<SSTable> sstables = new ArrayList<>();
        for (TableDirectory table : TableDirectory.find(folder)) {
            for (Descriptor descriptor : table.descriptors()) {
                sstables.add(SSTable.open(table.path(), descriptor));
            }
        }
        return sstables;
    }
}
