package io.sluice.streaming.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever a database returns or throws, the failure names the call. */
class GuardedStoreTest {
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "fx", "many");
    private static final UUID ID = new UUID(2, 2);

    /** What each method returns, or throws; null for all others but the staging directory. */
    private final Map<String, Object> answers = new HashMap<>(Map.of("stagingDirectory", Path.of("staging")));

    private final TableStore store = new GuardedStore(fake(TableStore.class));

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer(method.getName())));
    }

    private @Nullable Object answer(String method) throws Throwable {
        Object answer = answers.get(method);
        if (answer instanceof Throwable failure) {
            throw failure;
        }
        return answer;
    }

    private PinnedTable pin() throws IOException {
        answers.put("pin", fake(PinnedTable.class));
        return store.pin(ID, TABLE, TokenRanges.FULL);
    }

    private static void assertNamed(String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StreamException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL))
                .hasMessageStartingWith(words);
    }

    @Test
    void null_is_refused_with_the_name_of_the_call() throws IOException {
        String from = "the database returned null from ";
        assertNamed(from + "knownTables", store::knownTables);
        assertNamed(from + "table", () -> store.table(TABLE.id()));
        assertNamed(from + "pin of fx.many", () -> store.pin(ID, TABLE, TokenRanges.FULL));
        assertNamed(from + "inspect of fx.many", () -> store.inspect(TABLE, TokenRanges.FULL));
        assertNamed(from + "liveDirectory of fx.many", () -> store.liveDirectory(TABLE));
        assertNamed(from + "volumes", store::volumes);
        assertNamed(from + "newId of fx.many", () -> store.newId(TABLE));
        assertNamed(from + "permit for fx.many", () -> store.permit(ID, ID, TABLE));
        assertNamed(from + "writesSince of fx.many", () -> store.writesSince(TABLE, TokenRanges.FULL));
        PinnedTable pin = pin();
        assertNamed(from + "sstables of the pin of fx.many", pin::sstables);
        assertNamed(from + "onlyRows of the pin of fx.many", pin::onlyRows);
        answers.remove("stagingDirectory");
        assertNamed(from + "stagingDirectory", () -> new GuardedStore(fake(TableStore.class)));
    }

    @Test
    void a_list_is_read_at_once_and_each_element_is_checked() throws IOException {
        List<@Nullable Object> withNull = Arrays.asList(new Object[] {null});
        for (String method : List.of("knownTables", "sstables", "volumes")) {
            answers.put(method, withNull);
        }
        answers.put("inspect", Optional.of(withNull));
        String element = "the database returned null as an element from ";
        PinnedTable pin = pin();
        assertNamed(element + "knownTables", store::knownTables);
        assertNamed(element + "volumes", store::volumes);
        assertNamed(element + "inspect of fx.many", () -> store.inspect(TABLE, TokenRanges.FULL));
        assertNamed(element + "sstables of the pin of fx.many", pin::sstables);

        answers.put("sstables", new AbstractList<Path>() {
            @Override
            public Path get(int index) {
                throw new IllegalStateException("boom");
            }

            @Override
            public int size() {
                return 1;
            }
        });
        assertNamed(
                "the database failed in sstables of the pin of fx.many: java.lang.IllegalStateException: boom",
                pin::sstables);
    }

    @Test
    void an_sstable_that_is_listed_twice_is_there_once() throws IOException {
        answers.put("sstables", List.of(Path.of("b"), Path.of("a"), Path.of("b")));

        assertThat(pin().sstables()).containsExactly(Path.of("b"), Path.of("a"));
    }

    @Test
    void an_io_exception_names_the_call_and_keeps_its_cause() {
        answers.put("pin", new IOException("io!"));
        assertThatThrownBy(() -> store.pin(ID, TABLE, TokenRanges.FULL))
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("io!")
                .satisfies(failure -> assertThat(Failure.of(failure))
                        .isEqualTo(new Failure(
                                ErrorCode.DISK, "the database failed in pin of fx.many: java.io.IOException: io!")));

        answers.put("newId", new FileNotFoundException("ids (No space left on device)"));
        assertThatThrownBy(() -> store.newId(TABLE))
                .satisfies(failure -> assertThat(Failure.of(failure).toString())
                        .startsWith("DISK_FULL: the database failed in newId of fx.many: ")
                        .contains("free space on that volume"));
    }

    @Test
    void only_calls_that_ask_for_it_can_discard_a_set() {
        StreamException gone = new StreamException(ErrorCode.DISCARDED, "gone!");
        for (String method : List.of("permit", "liveDirectory", "activated")) {
            answers.put(method, gone);
        }
        TableStore.Volume volume = new TableStore.Volume(Path.of("staging"));

        assertThatThrownBy(() -> store.permit(ID, ID, TABLE)).isSameAs(gone);
        assertNamed("the database failed in liveDirectory of fx.many: ", () -> store.liveDirectory(TABLE));
        assertNamed("the database failed in liveDirectory of fx.many: ", () -> store.liveDirectory(TABLE, volume));
        assertNamed("the database failed in activated of fx.many: ", () -> store.activated(ID, TABLE));
    }
}
