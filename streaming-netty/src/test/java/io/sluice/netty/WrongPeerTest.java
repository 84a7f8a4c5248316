package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Who belongs to another cluster is refused with what is different, before anything else is said. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class WrongPeerTest {
    private static final UUID ID = new UUID(1, 1);

    @TempDir
    Path temp;

    private static StreamOptions options(String name, UUID id, String partitioner) {
        return StreamOptions.builder()
                .clusterName(name)
                .clusterId(id)
                .set("partitioner", partitioner)
                .build();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            prod | 00000000-0000-0001-0000-000000000001 | M | installed
            prod | 00000000-0000-0000-0000-000000000000 | M | installed
            test | 00000000-0000-0001-0000-000000000001 | M | cluster 'test' (expected: 'prod')
            prod | 00000000-0000-0002-0000-000000000002 | M | another cluster with the name 'prod', id 00000000-0000-0002-0000-000000000002
            prod | 00000000-0000-0001-0000-000000000001 | R | partitioner 'R' (expected: 'M')
            """)
    void is_refused_at_once_told_no_more_than_a_code_and_the_log_says_why(
            String name, UUID id, String partitioner, String end) throws Exception {
        Node source = TestTables.node("source");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Handshakes.class);
        logger.addAppender(log);
        try (StreamingNode sender = StreamingNode.start(
                        source, options("prod", ID, "M"), TestTables.store(temp.resolve("source"), 1, 4 << 10));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        options(name, id, partitioner),
                        TestTables.store(temp.resolve("target"), 1, 0))) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(20, SECONDS);

            if (end.equals("installed")) {
                assertThat(result.isComplete()).isTrue();
            } else {
                assertThat(result.tables().get(0).reason())
                        .isEqualTo("WRONG_PEER: session with source: source refused: see its log for the reason");
                assertThat(log.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .anyMatch(line -> line.contains(end));
                assertThat(sender.sending().get()).isEmpty();
            }
        } finally {
            logger.detachAppender(log);
        }
    }
}
