package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.security.TestAuthority;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.TableRef;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each connection, plan and order leaves one event, at both ends, with who it was and the outcome. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class AuditedNodeTest {
    private static final String HERE = "127.0.0.1";

    @TempDir
    Path temp;

    private final List<AuditEvent> atSource = new CopyOnWriteArrayList<>();
    private final List<AuditEvent> atTarget = new CopyOnWriteArrayList<>();
    private TestAuthority authority;
    private Node sourceNode;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(temp.resolve("pki"), "authority");
        sourceNode = TestTables.node("source");
    }

    private StreamOptions.Builder source() throws Exception {
        return HostileConnectionsTest.options()
                .tls(authority.node("source", HERE))
                .audit(atSource::add);
    }

    private StreamingNode sender(StreamOptions.Builder options) throws Exception {
        return StreamingNode.start(sourceNode, options.build(), TestTables.store(temp.resolve("source"), 1, 1 << 20));
    }

    private StreamingNode receiver() throws Exception {
        return StreamingNode.start(
                TestTables.node("target"),
                HostileConnectionsTest.options()
                        .tls(authority.node("target", HERE))
                        .audit(atTarget::add)
                        .build(),
                TestTables.store(temp.resolve("target"), 1, 0));
    }

    private static <E extends AuditEvent> E only(List<AuditEvent> events, Class<E> kind) {
        List<E> found = events.stream().filter(kind::isInstance).map(kind::cast).toList();
        assertThat(found).as("%s among %s", kind.getSimpleName(), events).hasSize(1);
        return found.get(0);
    }

    @Test
    void a_plan_that_succeeds() throws Exception {
        try (StreamingNode sender = sender(source());
                StreamingNode receiver = receiver()) {
            PlanResult result = receiver.execute(TestTables.plan(sourceNode, 0)).get(30, SECONDS);
            assertThat(result.isComplete()).isTrue();
            await().alias("the end at the source")
                    .until(() -> atSource.stream().anyMatch(AuditEvent.SessionEnded.class::isInstance));
            UUID plan = result.planId();
            UUID target = TestTables.id("target");

            assertThat(atSource)
                    .filteredOn(AuditEvent.ConnectionAccepted.class::isInstance)
                    .map(AuditEvent.ConnectionAccepted.class::cast)
                    .allSatisfy(accepted -> {
                        assertThat(accepted.who().node()).hasValue(target);
                        assertThat(accepted.who().certificate()).isPresent();
                        assertThat(accepted.planId()).isEqualTo(plan);
                    })
                    .extracting(AuditEvent.ConnectionAccepted::role)
                    .contains("CONTROL", "DATA");
            assertThat(only(atSource, AuditEvent.SessionOpened.class).planId()).isEqualTo(plan);
            assertThat(only(atSource, AuditEvent.Authorized.class).wish())
                    .isEqualTo(new AuditEvent.TableAccess(plan, "fetch", TestTables.table(0), 1));
            AuditEvent.SessionEnded ended = only(atSource, AuditEvent.SessionEnded.class);
            assertThat(ended.result()).isEqualTo("complete");
            assertThat(ended.bytes()).isEqualTo(sender.counters().bytesSent());

            assertThat(only(atTarget, AuditEvent.PlanOpened.class))
                    .isEqualTo(new AuditEvent.PlanOpened(
                            plan, "REPLACE", List.of(TestTables.table(0)), 1, List.of(sourceNode.id())));
            assertThat(only(atTarget, AuditEvent.Authorized.class).who().node()).hasValue(sourceNode.id());
            AuditEvent.Installed installed = only(atTarget, AuditEvent.Installed.class);
            assertThat(installed.sstables()).isEqualTo(2);
            assertThat(installed.bytes()).isEqualTo(result.tables().get(0).bytes());
            assertThat(only(atTarget, AuditEvent.PlanEnded.class))
                    .isEqualTo(new AuditEvent.PlanEnded(plan, installed.bytes(), "complete"));
        }
    }

    @Test
    void a_plan_that_is_denied_and_a_connection_that_is_refused() throws Exception {
        Authorizer no = new Authorizer() {
            @Override
            public Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
                return Access.denied("not this table");
            }
        };
        try (StreamingNode sender = sender(source().authorizer(no));
                StreamingNode receiver = receiver()) {
            assertThat(receiver.execute(TestTables.plan(sourceNode, 0))
                            .get(30, SECONDS)
                            .isComplete())
                    .isFalse();
            AuditEvent.Denied denied = only(atSource, AuditEvent.Denied.class);
            assertThat(denied.reason()).isEqualTo("not this table");
            assertThat(denied.wish())
                    .hasValueSatisfying(wish -> assertThat(wish.table()).isEqualTo(TestTables.table(0)));
            assertThat(only(atTarget, AuditEvent.PlanEnded.class).result()).startsWith("failed: DENIED");

            try (Socket stranger = new Socket(
                    InetAddress.getLoopbackAddress(), sourceNode.address().port())) {
                stranger.getOutputStream().write(new byte[64]);
                await().alias("a refusal")
                        .until(() -> atSource.stream().anyMatch(AuditEvent.ConnectionRefused.class::isInstance));
            }
            AuditEvent.ConnectionRefused refused = only(atSource, AuditEvent.ConnectionRefused.class);
            assertThat(refused.who()).isEqualTo(AuditEvent.Identity.at(HERE));
            assertThat(refused.code().name()).isEqualTo("PROTOCOL");
            assertThat(sender.counters().connectionsRefused()).isEqualTo(1);
        }
    }

    @Test
    void a_plan_that_is_cancelled_and_an_order_of_an_administrator() throws Exception {
        try (StreamingNode sender =
                        sender(source().throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 64 << 10));
                StreamingNode receiver = receiver()) {
            var plan = TestTables.plan(sourceNode, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            await().alias("bytes on their way").until(() -> sender.counters().bytesSent() > 0);

            receiver.cancel(plan.id(), "by hand");
            receiver.peerAccess().administered("operator", "cancel " + plan.id(), "done");

            assertThat(result.get(30, SECONDS).isComplete()).isFalse();
            assertThat(only(atTarget, AuditEvent.Cancelled.class))
                    .isEqualTo(new AuditEvent.Cancelled(plan.id(), "by hand"));
            assertThat(only(atTarget, AuditEvent.Administered.class).who()).isEqualTo("operator");
            assertThat(only(atTarget, AuditEvent.PlanEnded.class).result()).contains("CANCELLED");
        }
    }
}
