package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer that asks for more than there is memory for, against a source with 64 MiB of heap. */
@Timeout(180)
@Tag("full")
class HostileRequestsTest {
    private static final long STREAMING_MEMORY = 16 << 20;
    private static final UUID HOSTILE = new UUID(6, 6);
    private static final int PAGES_OF_A_SESSION = 24; // 0.48 MB each: 57 MB in five sessions

    @TempDir
    Path temp;

    private final List<RawPeer> open = new ArrayList<>();
    private Node source = TestTables.node(new UUID(1, 1), "not started", 1);
    private Optional<StartedProcess> process = Optional.empty();

    @BeforeEach
    void start() throws IOException, InterruptedException {
        source = TestTables.node("source");
        TestTables.store(temp.resolve("source"), 2, 256 << 10);
        List<String> words = JavaCommand.words(
                List.of(
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=24m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Dlogback.configurationFile=quiet.xml"),
                SourceProcess.class.getName(),
                temp.resolve("source"),
                2,
                STREAMING_MEMORY,
                source.id(),
                source.address().port());
        StartedProcess java =
                StartedProcess.start(new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD));
        process = Optional.of(java);
        java.awaitLine("ready");
    }

    @AfterEach
    void end() throws IOException {
        for (RawPeer peer : open) {
            peer.close();
        }
        process.ifPresent(StartedProcess::close);
    }

    /** How much the source says is in use of a queue, or of its heap. */
    private long used(String name) throws IOException, InterruptedException {
        StartedProcess java = process.orElseThrow();
        java.say("say");
        long used = -1;
        for (String line : java.linesUntil(line -> line.startsWith("end"))) {
            String[] words = line.split(" ", -1);
            boolean isQueue = words[0].equals("queue");
            if (words[isQueue ? 1 : 0].equals(name)) {
                used = Long.parseLong(words[isQueue ? 2 : 1]);
            }
        }
        return used;
    }

    private RawPeer session(int number) throws IOException {
        RawPeer peer = RawPeer.welcome(source, HOSTILE, Message.Role.CONTROL, new UUID(7, 7), number, 0);
        open.add(peer);
        return peer;
    }

    private static Message page(UUID table, int ranges, int from) {
        List<TokenRange> all = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            all.add(TokenRange.of(10L * (from + i), 10L * (from + i) + 5));
        }
        return new Message.PrepareSyn(List.of(new Message.TableRequest(table, TokenRanges.of(all))), false);
    }

    /** Sends pages until the source closes the connection. */
    private static void send(RawPeer peer, UUID table, int ranges) {
        try {
            peer.send(new Message.StreamInit(1));
            for (int i = 0; i < PAGES_OF_A_SESSION; i++) {
                peer.send(page(table, ranges, i * ranges));
            }
        } catch (IOException refused) {
            return; // it says why: read below
        }
    }

    private void assertThatAnHonestPlanIsDone() throws Exception {
        Path data = temp.resolve("honest" + open.size());
        try (StreamingNode honest = StreamingNode.start(
                TestTables.node("honest"), StreamOptions.builder().build(), TestTables.store(data, 2, 0))) {
            assertThat(honest.execute(TestTables.plan(source, 0, 1))
                            .get(60, SECONDS)
                            .tables())
                    .allMatch(table -> table.installed(), "installed");
        }
    }

    private void awaitNothingKept() throws Exception {
        for (String queue : List.of("inventory", "sending", "sessions")) {
            await().until(() -> used(queue) == 0);
        }
    }

    @Test
    void unfinished_pages_of_ranges_end_sessions_and_not_the_process() throws Exception {
        for (int i = 0; i < 5; i++) {
            send(session(i), UUID.randomUUID(), 30_000); // more at once than this node has
        }
        for (RawPeer peer : open) {
            assertThat(peer.end().map(Message.SessionFailed::code)).hasValue(ErrorCode.LIMIT);
        }
        for (int i = 5; i < 10; i++) { // pages that fit, of a table that there is, of which too many come
            send(session(i), TestTables.table(0).id(), 2_000);
        }
        List<ErrorCode> ends = new ArrayList<>();
        for (RawPeer peer : open.subList(5, 10)) {
            peer.end().ifPresent(end -> ends.add(end.code()));
        }
        assertThat(ends).hasSize(5).containsOnly(ErrorCode.LIMIT);
        awaitNothingKept();
        assertThatAnHonestPlanIsDone();
        assertThat(used("heap")).isLessThan(32 << 20);
    }

    @Test
    void a_table_that_there_is_not_is_refused_on_the_first_page_and_nothing_of_it_is_kept() throws Exception {
        RawPeer peer = session(0);
        UUID unknown = UUID.randomUUID();
        peer.send(new Message.StreamInit(1));
        for (int i = 0; i < 100; i++) {
            peer.send(page(unknown, 2_000, i * 2_000));
            assertThat(peer.expect(Message.TableRefused.class).tableId()).isEqualTo(unknown);
        }
        assertThat(used("inventory")).isLessThan(300_000);
        assertThatAnHonestPlanIsDone();
    }

    @Test
    void messages_that_are_announced_and_never_end_are_paid_for() throws Exception {
        byte[] begun = new byte[20 << 10];
        ByteBuffer frame = MessageCodec.encode(page(UUID.randomUUID(), 60_000, 0));
        frame.get(begun);
        for (int i = 0; i < 20; i++) {
            RawPeer peer = session(i);
            peer.send(begun);
        }
        // those that were refused take their time to leave
        await().until(() -> used("sessions") <= 3);
        assertThat(used("inventory")).isPositive().isLessThanOrEqualTo(STREAMING_MEMORY / 8);
        assertThatAnHonestPlanIsDone();
        for (RawPeer peer : open) {
            peer.close();
        }
        awaitNothingKept();
    }

    @Test
    void sessions_and_queries_of_a_peer_are_limited() throws Exception {
        int refused = 0;
        for (int i = 0; i < 80; i++) {
            RawPeer peer = RawPeer.open(source, HOSTILE, Message.Role.CONTROL, new UUID(7, 7), i, 0);
            open.add(peer);
            refused += peer.read().orElseThrow() instanceof Message.SessionFailed failed
                            && failed.code() == ErrorCode.LIMIT
                    ? 1
                    : 0;
        }
        for (int i = 0; i < 10; i++) {
            RawPeer peer = RawPeer.open(source, HOSTILE, Message.Role.QUERY, UUID.randomUUID(), 0, 0);
            open.add(peer);
            peer.read();
        }

        assertThat(refused).isGreaterThanOrEqualTo(80 - 64);
        assertThat(used("sessions")).isBetween(1L, 64L);
        assertThat(used("queries")).isBetween(0L, 8L);
        assertThatAnHonestPlanIsDone();
    }
}
