package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.pkitesting.RevocationServer;
import io.sluice.netty.security.TestAuthority;
import io.sluice.netty.security.Tls;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.NodeIdentities;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * A certificate of the right authority is not enough: it must be that of the node, and the database must allow it. Long
 * because each way to be somebody else needs certificates and two nodes.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class IdentityTest {
    private static final String HERE = "127.0.0.1";

    @TempDir
    Path temp;

    private TestAuthority authority;

    /** Writes revocation lists, and listens as long as this process lives: what is no leak of a test. */
    @BeforeAll
    static void startRevocations() throws Exception {
        RevocationServer.getInstance();
    }

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(temp.resolve("pki"), "authority");
    }

    private static StreamOptions.Builder with(TlsFiles files) {
        return HostileConnectionsTest.options().tls(files);
    }

    /** What becomes of the one table of a plan. */
    private PlanResult.TableResult fetch(StreamOptions.Builder source, StreamOptions.Builder target) throws Exception {
        return fetch(source, target, TestTables.node("target"));
    }

    private PlanResult.TableResult fetch(StreamOptions.Builder source, StreamOptions.Builder target, Node targetNode)
            throws Exception {
        return fetch(source, target, TestTables.node("source"), targetNode);
    }

    private PlanResult.TableResult fetch(
            StreamOptions.Builder source, StreamOptions.Builder target, Node sourceNode, Node targetNode)
            throws Exception {
        Path data = temp.resolve(UUID.randomUUID().toString());
        try (StreamingNode sender = StreamingNode.start(
                        sourceNode, source.build(), TestTables.store(data.resolve("source"), 1, 64 << 10));
                StreamingNode receiver = StreamingNode.start(
                        targetNode, target.build(), TestTables.store(data.resolve("target"), 1, 0))) {
            PlanResult result = receiver.execute(TestTables.plan(sourceNode, 0)).get(30, SECONDS);
            await().alias("the end at the source")
                    .until(() -> sender.sending().join().isEmpty());
            return result.tables().get(0);
        }
    }

    private TlsFiles files(String of) throws Exception {
        return authority.node(of, HERE);
    }

    /** Certificates that are not as they should be, by what is wrong with them. */
    private TlsFiles wrong(String what, String name) throws Exception {
        Instant now = Instant.now();
        List<String> own = List.of(NodeIdentities.NODE_URN + TestTables.id(name));
        return switch (what) {
            case "another authority" -> {
                TlsFiles foreign = new TestAuthority(temp.resolve("foreign"), "foreign").node(name, HERE);
                yield new TlsFiles(
                        foreign.certificate(), foreign.key(), files(name + "2").trust(), true);
            }
            case "itself" -> authority.selfSigned(name, HERE);
            case "expired" -> authority.node(name, HERE, now.minusSeconds(7_200), now.minusSeconds(60), own);
            case "not yet valid" -> authority.node(name, HERE, now.plusSeconds(600), now.plusSeconds(7_200), own);
            case "another cluster" ->
                authority.node(name, HERE, List.of(own.get(0), NodeIdentities.CLUSTER_URN + "other"));
            case "another node" ->
                authority.node(name, HERE, List.of(NodeIdentities.NODE_URN + TestTables.id("other")));
            case "no node" -> authority.node(name, HERE, List.of());
            case "another host" -> authority.node(name, "192.0.2.1");
            default -> throw new IllegalArgumentException(what);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "another authority, UNTRUSTED, UNKNOWN_AUTHORITY",
        "itself, UNTRUSTED, SELF_SIGNED",
        "expired, UNTRUSTED, EXPIRED",
        "not yet valid, UNTRUSTED, NOT_YET_VALID",
        "another host, UNTRUSTED, WRONG_HOST",
        "another cluster, UNTRUSTED, 'for cluster [other]'",
        "another node, UNTRUSTED, 'does not speak for node'",
        "no node, UNTRUSTED, 'does not speak for node'"
    })
    void a_source_is_refused_whose_certificate_is_of(String what, String code, String cause) throws Exception {
        PlanResult.TableResult result = fetch(with(wrong(what, "source")), with(files("target")));

        assertThat(result.installed()).isFalse();
        assertThat(result.reason()).startsWith(code).contains(cause);
    }

    /** The JDK says of such a certificate something else than of one that has other host names. */
    @Test
    void a_source_is_refused_by_its_host_name_if_its_certificate_has_none() throws Exception {
        Node named =
                new Node(TestTables.id("source"), "source", new Address("localhost", FreePort.onLoopback()), List.of());

        PlanResult.TableResult result =
                fetch(with(files("source")), with(files("target")), named, TestTables.node("target"));

        assertThat(result.reason()).startsWith("UNTRUSTED").contains("WRONG_HOST");
    }

    @ParameterizedTest
    @CsvSource({
        "another authority, UNTRUSTED",
        "itself, UNTRUSTED",
        "expired, UNTRUSTED",
        "not yet valid, UNTRUSTED",
        "another cluster, UNTRUSTED",
        "another node, UNTRUSTED",
        "no node, UNTRUSTED"
    })
    void a_receiver_is_refused_whose_certificate_is_of(String what, String code) throws Exception {
        PlanResult.TableResult result = fetch(with(files("source")), with(wrong(what, "target")));

        assertThat(result.installed()).isFalse();
        assertThat(result.reason())
                .startsWith(code)
                .doesNotContain(TestTables.id("source").toString());
    }

    @Test
    void nobody_is_let_in_under_this_nodes_own_id() throws Exception {
        Node same = TestTables.node(TestTables.id("source"), "target", FreePort.onLoopback());

        PlanResult.TableResult result = fetch(with(files("source")), with(files("source")), same);

        assertThat(result.installed()).isFalse();
        assertThat(result.reason()).startsWith("UNTRUSTED");
    }

    @Test
    void names_that_cannot_be_read_speak_for_nobody() throws Exception {
        NodeIdentities failing = certificate -> {
            throw new IllegalArgumentException("URLDecoder: Illegal hex characters in escape (%) pattern");
        };

        PlanResult.TableResult result =
                fetch(with(files("source")), with(files("target")).identities(failing));

        assertThat(result.reason()).startsWith("UNTRUSTED").contains("names in its certificate cannot be read");
        assertThat(fetch(with(files("source")).identities(failing), with(files("target")))
                        .reason())
                .startsWith("UNTRUSTED");
    }

    @Test
    void a_certificate_that_its_authority_has_revoked_is_refused_at_either_end() throws Exception {
        TlsFiles source = files("source");
        TlsFiles target = files("target");
        Path none = authority.revoked();
        assertThat(fetch(with(source.revoking(none)), with(target.revoking(none)))
                        .installed())
                .as("nothing is revoked yet")
                .isTrue();

        Path lists = authority.revoked("target");
        assertThat(fetch(with(source.revoking(lists)), with(target)).reason()).startsWith("UNTRUSTED");
        lists = authority.revoked("source");
        assertThat(fetch(with(source), with(target.revoking(lists))).reason())
                .startsWith("UNTRUSTED")
                .contains("REVOKED");
    }

    @Test
    void a_list_that_is_written_anew_counts_from_then_on_and_one_of_another_authority_is_none() throws Exception {
        TlsFiles source = files("source");
        TlsFiles target = files("target");
        Path lists = authority.revoked();
        Tls tls = Tls.of(source.revoking(lists));
        assertThat(tls.reloadIfWritten()).isFalse();
        Files.setLastModifiedTime(
                authority.revoked("target"), FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(tls.reloadIfWritten()).isTrue();

        Path foreign = new TestAuthority(temp.resolve("foreign"), "foreign").revoked();
        assertThat(fetch(with(source), with(target.revoking(foreign))).reason())
                .startsWith("UNTRUSTED")
                .contains("REVOCATION_UNKNOWN");
        Path garbage = Files.writeString(temp.resolve("garbage.crl"), "no list");
        assertThatThrownBy(() -> Tls.of(source.revoking(garbage))).hasMessageContaining("tls_revoked " + garbage);
        Path missing = temp.resolve("missing.crl");
        assertThatThrownBy(() -> Tls.of(source.revoking(missing)))
                .hasMessage("tls_revoked: " + missing + " cannot be read");
    }

    @Test
    void a_fingerprint_binds_a_certificate_without_names() throws Exception {
        TlsFiles plain = wrong("no node", "target");
        String print;
        try (InputStream file = Files.newInputStream(plain.certificate())) {
            print = Peer.fingerprint(
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        NodeIdentities identities = NodeIdentities.byAlternativeName()
                .or(NodeIdentities.byFingerprint(Map.of(print, TestTables.id("target"))));

        assertThat(fetch(with(files("source")).identities(identities), with(plain))
                        .installed())
                .isTrue();
    }

    /** Answers as it was set up. */
    private static final class Told implements Authorizer {
        final AtomicInteger asked = new AtomicInteger();
        volatile Access connect = Access.granted();
        volatile Access fetch = Access.granted();
        volatile Access offer = Access.granted();

        @Override
        public Access mayConnect(Peer peer) {
            return connect;
        }

        @Override
        public Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
            asked.incrementAndGet();
            return fetch;
        }

        @Override
        public Access mayOffer(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
            return offer;
        }
    }

    @Test
    void the_database_says_who_connects_fetches_and_offers() throws Exception {
        Told source = new Told();
        Told target = new Told();
        StreamOptions.Builder from = with(files("source")).authorizer(source);
        StreamOptions.Builder to = with(files("target")).authorizer(target);

        source.connect = Access.denied("not you");
        assertThat(fetch(from, to).reason()).startsWith("DENIED").contains("connect: not you");
        source.connect = Access.granted();
        source.fetch = Access.denied("not this table");
        assertThat(fetch(from, to).reason()).startsWith("DENIED").contains("fetch ks.t0: not this table");
        source.fetch = Access.granted();
        target.offer = Access.denied("not from there");
        assertThat(fetch(from, to).reason()).startsWith("DENIED").contains("offer ks.t0: not from there");
        target.offer = Access.granted();
        int asked = source.asked.get();
        assertThat(fetch(from, to).installed()).isTrue();
        assertThat(source.asked.get()).as("each plan is asked for again").isGreaterThan(asked);
    }

    @Test
    @Tag("full")
    void one_that_fails_answers_null_or_hangs_denies() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Authorizer failing = new Authorizer() {
            @Override
            public Access mayConnect(Peer peer) {
                throw new IllegalStateException("defect");
            }
        };
        Authorizer hanging = new Authorizer() {
            @Override
            public Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Access.granted();
            }
        };
        StreamOptions.Builder to = with(files("target"));

        assertThat(fetch(with(files("source")).authorizer(failing), to).reason())
                .startsWith("DENIED")
                .contains("the authorizer failed");
        assertThat(fetch(with(files("source")).authorizer(hanging), to).reason())
                .startsWith("DENIED")
                .contains("did not answer within 1000 ms");
    }

    @Test
    void an_administrator_may_what_the_database_lets_it_and_nothing_if_that_fails_or_hangs() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Authorizer told = new Authorizer() {
            @Override
            public Access mayAdminister(String who, String order) {
                return switch (order) {
                    case "cancel" -> Access.granted();
                    case "fail" -> throw new IllegalStateException("defect");
                    case "hang" -> {
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        yield Access.granted();
                    }
                    default -> Access.denied(who + " may not " + order);
                };
            }
        };
        StreamOptions options =
                HostileConnectionsTest.options().authorizer(told).build();
        try (StreamingNode node =
                StreamingNode.start(TestTables.node("node"), options, TestTables.store(temp.resolve("n"), 1, 0))) {
            assertThat(node.peerAccess().mayAdminister("operator", "cancel").isGranted())
                    .isTrue();
            assertThat(node.peerAccess().mayAdminister("operator", "stop"))
                    .isEqualTo(Access.denied("operator may not stop"));
            assertThat(node.peerAccess().mayAdminister("operator", "fail").isGranted())
                    .isFalse();
            assertThat(node.peerAccess().mayAdminister("operator", "hang").isGranted())
                    .isFalse();
        }
    }

    @Test
    @Tag("full")
    void a_session_of_one_that_may_not_any_more_ends_at_its_next_message() throws Exception {
        Told told = new Told();
        StreamOptions.Builder slow = with(files("source"))
                .authorizer(told)
                .keepAliveSeconds(1)
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 16 << 10);
        Node sourceNode = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(
                        sourceNode, slow.build(), TestTables.store(temp.resolve("source"), 1, 4 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        with(files("target")).keepAliveSeconds(1).build(),
                        TestTables.store(temp.resolve("target"), 1, 0))) {
            CompletableFuture<PlanResult> result = receiver.execute(TestTables.plan(sourceNode, 0));
            await().alias("bytes on their way").until(() -> sender.counters().bytesSent() > 0);

            told.connect = Access.denied("revoked");

            assertThat(result.get(20, SECONDS).tables().get(0).reason())
                    .startsWith("DENIED")
                    .contains("may not be connected any more: revoked");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"source", "target"})
    @Tag("full")
    void a_session_of_one_whose_certificate_is_revoked_meanwhile_ends_at_its_next_message(String revoked)
            throws Exception {
        TlsFiles source = files("source");
        TlsFiles target = files("target");
        Path lists = authority.revoked();
        StreamOptions.Builder slow = with(source.revoking(lists))
                .keepAliveSeconds(1)
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 16 << 10);
        Node sourceNode = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(
                        sourceNode, slow.build(), TestTables.store(temp.resolve("source"), 1, 4 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        with(target.revoking(lists)).keepAliveSeconds(1).build(),
                        TestTables.store(temp.resolve("target"), 1, 0))) {
            CompletableFuture<PlanResult> result = receiver.execute(TestTables.plan(sourceNode, 0));
            await().alias("bytes on their way").until(() -> sender.counters().bytesSent() > 0);

            authority.revoked(revoked); // the same file, written over
            (revoked.equals("target") ? sender : receiver).reloadCertificates();

            assertThat(result.get(20, SECONDS).tables().get(0).reason())
                    .startsWith("DENIED")
                    .contains("may not be connected any more: REVOKED: certificate CN=" + revoked);
        }
    }

    @Test
    @Tag("full")
    void another_authority_takes_over_while_a_plan_runs() throws Exception {
        TlsFiles source = files("source");
        TlsFiles target = files("target");
        StreamOptions.Builder slow =
                with(source).throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 512 << 10);
        Node sourceNode = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(
                        sourceNode, slow.build(), TestTables.store(temp.resolve("source"), 2, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        with(target).build(),
                        TestTables.store(temp.resolve("target"), 2, 0))) {
            Instant before = sender.certificateExpiry().orElseThrow();
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(sourceNode, 0));
            await().alias("bytes on their way").until(() -> sender.counters().bytesSent() > 0);

            Files.writeString(source.certificate(), "no certificate");
            assertThatThrownBy(sender::reloadCertificates).hasMessageContaining("source.crt");
            assertThat(sender.certificateExpiry()).contains(before);
            authority = new TestAuthority(temp.resolve("pki"), "next"); // the same files, written over
            files("source");
            sender.reloadCertificates();

            assertThat(running.get(30, SECONDS).isComplete())
                    .as("what runs goes on")
                    .isTrue();
            PlanResult refused =
                    receiver.execute(TestTables.plan(sourceNode, 1)).get(30, SECONDS);
            assertThat(refused.tables().get(0).reason()).startsWith("UNTRUSTED");
            files("target");
            receiver.reloadCertificates();
            PlanResult next = receiver.execute(TestTables.plan(sourceNode, 1)).get(30, SECONDS);
            assertThat(next.isComplete()).isTrue();
        }
    }

    @Test
    void files_that_are_written_are_read_again_by_themselves_and_an_end_that_is_near_is_warned_of() throws Exception {
        TlsFiles files = files("source");
        Tls tls = Tls.of(files);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(CertificateReloader.class);
        logger.addAppender(log);
        try {
            CertificateReloader watch = new CertificateReloader(tls);
            Instant now = Instant.now();
            watch.look(now);
            watch.look(now.plusSeconds(60));
            assertThat(log.list).as("a day has not passed").hasSize(1);
            assertThat(log.list.get(0).getFormattedMessage()).contains("expires on " + tls.expires());

            Instant end = now.plusSeconds(90L * 24 * 3_600).truncatedTo(ChronoUnit.SECONDS);
            List<String> own = List.of(NodeIdentities.NODE_URN + TestTables.id("source"));
            authority.node("source", HERE, now.minusSeconds(60), end, own);
            Files.setLastModifiedTime(files.certificate(), FileTime.from(now.plusSeconds(5)));
            watch.look(now.plusSeconds(70));

            assertThat(tls.expires()).isEqualTo(end);
            assertThat(log.list).hasSize(2);
            assertThat(log.list.get(1).getFormattedMessage()).contains("certificates reloaded");
        } finally {
            logger.detachAppender(log);
        }
    }
}
