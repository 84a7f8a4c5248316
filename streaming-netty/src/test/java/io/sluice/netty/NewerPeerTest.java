package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Peers of versions to come: with those that still speak ours a node talks, and it names the versions of all others.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class NewerPeerTest {
    private static final UUID SENDER = TestTables.id("newer");
    private static final ProtocolVersions OURS = ProtocolVersions.OURS;
    private static final ProtocolVersions NEWER = new ProtocolVersions(OURS.lowest(), OURS.highest() + 2);
    private static final ProtocolVersions TOO_NEW = new ProtocolVersions(OURS.highest() + 1, OURS.highest() + 2);
    private static final String WHY = "supports " + TOO_NEW + " of the protocol (this node: " + OURS + ")";

    @TempDir
    Path temp;

    @ParameterizedTest
    @EnumSource(names = "DATA", mode = EnumSource.Mode.EXCLUDE)
    void that_opens_a_connection_is_told_our_versions_and_refused_if_none_is_common(Message.Role role)
            throws Exception {
        Node self = TestTables.node("source");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Handshakes.class);
        logger.addAppender(log);
        try (StreamingNode node = StreamingNode.start(
                self, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 0))) {
            try (RawPeer newer = RawPeer.open(self, SENDER, role, UUID.randomUUID(), 0, NEWER.offer())) {
                assertThat(newer.expect(Message.Welcome.class).versions()).isEqualTo(OURS);
            }
            try (RawPeer tooNew = RawPeer.open(self, SENDER, role, UUID.randomUUID(), 0, TOO_NEW.offer())) {
                assertThat(tooNew.end()).map(Message.SessionFailed::code).hasValue(ErrorCode.WRONG_PEER);
            }
            assertThat(node.sending().get(20, SECONDS)).allMatch(session -> role == Message.Role.CONTROL);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).anyMatch(line -> line.contains(WHY));
    }

    @ParameterizedTest
    @EnumSource(Answer.class)
    void that_is_asked_hears_our_versions_and_is_left_if_none_is_common(Answer answer) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("target"), 1, 0))) {
            Node newer = TestTables.node(SENDER, "newer", listening.getLocalPort());
            CompletableFuture<ProtocolVersions> heard = CompletableFuture.supplyAsync(() -> greet(listening, answer));

            PlanResult result = receiver.execute(TestTables.plan(newer, 0)).get(30, SECONDS);

            assertThat(heard.get(10, SECONDS)).isEqualTo(OURS);
            assertThat(result.tables().get(0).reason()).contains(answer.end);
        }
    }

    /** What a source of a version to come answers. */
    @SuppressWarnings("ImmutableEnumChecker") // a record of two numbers
    private enum Answer {
        STILL_SPEAKS_OURS(NEWER, "UNKNOWN_TABLE: session with newer: the session was begun"),
        SPEAKS_NONE_OF_OURS(TOO_NEW, "WRONG_PEER: session with newer: newer " + WHY);

        @SuppressWarnings("ImmutableEnumChecker") // a record of numbers
        private final ProtocolVersions versions;

        private final String end;

        Answer(ProtocolVersions versions, String end) {
            this.versions = versions;
            this.end = end;
        }
    }

    private static ProtocolVersions greet(ServerSocket listening, Answer answer) {
        try (RawPeer control = new RawPeer(listening.accept())) {
            Message.Hello hello = control.expect(Message.Hello.class);
            control.send(Message.Welcome.from(SENDER, answer.versions));
            if (answer == Answer.STILL_SPEAKS_OURS) {
                control.expect(Message.PrepareSyn.class);
                control.send(new Message.SessionFailed(ErrorCode.UNKNOWN_TABLE, "the session was begun"));
            }
            control.end();
            return hello.versions().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
