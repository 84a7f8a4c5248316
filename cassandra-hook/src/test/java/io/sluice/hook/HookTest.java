package io.sluice.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node never begins to fetch while marks of an earlier wait are there: it would skip what they name. */
class HookTest {
    @TempDir
    private Path folder = Path.of("");

    private URLClassLoader start(FakeCassandra cassandra) throws IOException {
        return new URLClassLoader(new URL[] {cassandra.into(folder).toUri().toURL()}, null);
    }

    private static Object streamer(ClassLoader classes) throws ReflectiveOperationException {
        return classes.loadClass(CassandraRanges.RANGE_STREAMER)
                .getConstructor()
                .newInstance();
    }

    private static Object resets(ClassLoader classes) throws ReflectiveOperationException {
        return classes.loadClass("org.apache.cassandra.db.SystemKeyspace")
                .getField("resets")
                .get(null);
    }

    @Test
    void a_node_whose_marks_cannot_be_cleared_fetches_nothing() throws Exception {
        try (URLClassLoader classes =
                start(new FakeCassandra().reset("throw new RuntimeException(\"disk failed\");"))) {
            Object streamer = streamer(classes);

            assertThatThrownBy(() -> Hook.beforeFetch(streamer))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("sluice hook: marks of an earlier wait cannot be cleared: ")
                    .hasMessageContaining("disk failed")
                    .hasMessageContaining("so this node fetches nothing")
                    .hasMessageContaining("start the node again");
        }
    }

    @Test
    void a_node_whose_plan_cannot_be_read_fetches_without_marks() throws Exception {
        try (URLClassLoader classes = start(new FakeCassandra().streamer("toFetch", "renamed"))) {
            Hook.beforeFetch(streamer(classes));

            assertThat(resets(classes)).isEqualTo(1);
        }
    }
}
