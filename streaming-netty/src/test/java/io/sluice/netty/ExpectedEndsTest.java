package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.StartedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a receiver may do at any time is no error of the source, and writes no stack trace into its log. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class ExpectedEndsTest {
    @TempDir
    Path temp;

    private final LogCapture log = new LogCapture();
    private Node self;
    private DirectoryStore store;
    private StreamingNode source;

    @BeforeEach
    void start() throws Exception {
        self = TestTables.node("source");
        store = TestTables.store(temp, 1, 64 << 10);
        source = StreamingNode.start(self, StreamOptions.builder().build(), store);
    }

    @AfterEach
    void close() {
        source.close();
        log.close();
    }

    @Test
    void a_receiver_without_room() throws Exception {
        try (HostileReceiver receiver = new HostileReceiver(self)) {
            Line control = receiver.control();
            control.send(new Message.StreamInit(1, ReceiverFeatures.NONE, 0));
            control.send(receiver.request());

            assertThat(control.awaitEnd()).startsWith("DISK_FULL: ");
        }
        await().until(() -> !log.with("failed: DISK_FULL").isEmpty());
        assertThat(log.with("preparation failed")).isEmpty();
        assertThat(log.with("ERROR")).isEmpty();
        assertThat(log.traced()).isEmpty();
    }

    @Test
    void a_session_that_ends_while_a_file_is_read_again() throws Exception {
        Path data;
        try (HostileReceiver receiver = new HostileReceiver(self)) {
            Line control = receiver.control();
            SSTableOffer offer = receiver.begin(control).get(0);
            data = TestTables.folder(temp, TestTables.table(0))
                    .resolve(offer.source() + "-" + Component.DATA.fileName());
            Files.delete(data); // as the database may, as soon as nobody pins it
            StartedProcess.run("mkfifo", data.toString()); // whose reader waits for a writer
            control.send(new Message.CheckFile(offer.number(), Component.DATA, 1 << 20));
            control.send(new Message.Complete()); // ends the session, and not before the file is being read

            assertThat(control.awaitEnd()).startsWith("PROTOCOL: ");
        }
        await().until(() -> store.pins.get() == 0);
        Files.newOutputStream(data).close();
        source.close();

        assertThat(log.with("WARN")).singleElement().asString().contains("failed: PROTOCOL");
    }

    @Test
    void a_planner_that_asks_for_a_table_before_it_is_known_here() throws Exception {
        try (StreamingNode planner = StreamingNode.start(
                TestTables.node("planner"),
                StreamOptions.builder().build(),
                TestTables.store(temp.resolve("planner"), 1, 0))) {
            assertThatThrownBy(() -> planner.spans(self, Map.of(TestTables.table(1), TokenRanges.FULL))
                            .get(20, SECONDS))
                    .hasMessageContaining("is not known here");
        }
        assertThat(log.with("is not known here")).singleElement().asString().contains("query of 127.0.0.1");
        assertThat(log.traced()).isEmpty();
    }
}
