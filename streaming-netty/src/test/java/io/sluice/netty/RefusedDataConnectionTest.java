package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.PlanResult;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A source welcomes the control connection of a session and refuses its data connections. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class RefusedDataConnectionTest {
    @TempDir
    Path temp;

    @ParameterizedTest
    @CsvSource({"'',see its log for the reason", "too many connections,too many connections"})
    void the_result_has_the_code_and_the_reason(String said, String reported) throws Exception {
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 4 << 10);
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .retries(CutAnywhereTest.ONCE)
                .deadlines(HostileSourceTest.SHORT)
                .build();
        AtomicBoolean isWelcome = new AtomicBoolean(true);
        try (HostileSource source = new HostileSource(store);
                StreamingNode target = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0))) {
            source.tell((honest, line) -> line.send(
                    honest instanceof Message.Welcome && !isWelcome.getAndSet(false)
                            ? new Message.SessionFailed(ErrorCode.LIMIT, said)
                            : honest));

            PlanResult result =
                    target.execute(TestTables.plan(source.node(), 0)).get(30, SECONDS);

            assertThat(result.tables().get(0).reason()).contains("peer refused: LIMIT: " + reported);
        }
    }
}
