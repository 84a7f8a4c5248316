package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a database hands over is checked, and named in the failure of the table: it cannot be a file elsewhere. */
@ExtendWith(LeakCheck.class)
class WrongAnswersTest {
    @TempDir
    Path temp;

    /** {@code real}, which gives these answers to these methods, also of its pins. */
    private static <T> T wrong(Class<T> type, T real, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Object answer = answers.get(method.getName());
            if (answer != null) {
                return answer;
            }
            try {
                Object right = method.invoke(real, args);
                return right instanceof PinnedTable pin ? wrong(PinnedTable.class, pin, answers) : right;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private static StreamOptions options() {
        return StreamOptions.builder()
                .retries(new RetryPolicy(2, 10, Duration.ofMillis(5), Duration.ofMillis(10)))
                .build();
    }

    private PlanResult.Failure failure(Map<String, Object> atSource, Map<String, Object> atReceiver) throws Exception {
        Node source = TestTables.node("source");
        TableStore from = TestTables.store(temp.resolve("source"), 1, 32 << 10);
        TableStore to = TestTables.store(temp.resolve("target"), 1, 0);
        StreamPlan plan = new StreamPlan(
                UUID.randomUUID(),
                Operation.REPLACE,
                List.of(new StreamRequest(source, TestTables.table(0), TokenRanges.FULL)));
        try (StreamingNode sender = StreamingNode.start(source, options(), wrong(TableStore.class, from, atSource));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options(), wrong(TableStore.class, to, atReceiver))) {
            PlanResult result = receiver.execute(plan).get(20, SECONDS);
            assertThat(sender.sending().get(20, SECONDS)).isEmpty();
            return result.tables().get(0).failure().orElseThrow();
        }
    }

    @Test
    void an_id_that_is_none_fails_the_table() throws Exception {
        PlanResult.Failure failure = failure(Map.of(), Map.of("newId", "../1"));

        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failure.toString())
                .contains("the database gave a new SSTable of " + TestTables.table(0) + " the id '../1' (expected: ");
    }

    @Test
    void a_path_that_is_of_no_data_file_fails_the_table() throws Exception {
        Path index = temp.resolve("nb-1-big-Index.db");

        PlanResult.Failure failure = failure(Map.of("sstables", List.of(index)), Map.of());

        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failure.toString())
                .contains("the database pinned nb-1-big-Index.db (expected: the path of a Data.db file");
    }
}
