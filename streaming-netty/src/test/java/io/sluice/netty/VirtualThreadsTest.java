package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.StreamingNode.ThreadKind;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An embedder supplies virtual threads. Without a check for leaks: those threads have descriptors of their own. */
@Timeout(60)
class VirtualThreadsTest {
    private static final ThreadFactory PLATFORM = Executors.defaultThreadFactory();

    @TempDir
    private Path temp = Path.of("");

    /** Those of 21 and newer; before, platform threads of a group with the name of theirs. */
    private static ThreadFactory virtual() throws ReflectiveOperationException {
        if (Runtime.version().feature() < 21) {
            ThreadGroup group = new ThreadGroup("VirtualThreads");
            return task -> new Thread(group, task);
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory)
                Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    private StreamingNode start(Node self, StreamOptions options) throws IOException {
        return StreamingNode.start(self, options, TestTables.store(temp.resolve(self.name()), 1, 0));
    }

    @ParameterizedTest
    @EnumSource(names = {"SESSION", "ACCEPT", "HANDSHAKE", "CONTROL", "IO"})
    void a_node_whose_event_loops_would_hold_the_carriers_does_not_start(ThreadKind kind) throws Exception {
        ThreadFactory virtual = virtual();
        StreamOptions options = StreamOptions.builder()
                .threads(any -> any == kind ? virtual : PLATFORM)
                .build();

        assertThatThrownBy(() -> start(TestTables.node("refused"), options))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the factory for threads of kind " + kind + " made a virtual thread (expected: a platform"
                        + " thread, because an event loop waits in native code)");
    }

    @Test
    void all_other_threads_may_be_virtual() throws Exception {
        Set<ThreadKind> loops = EnumSet.range(ThreadKind.SESSION, ThreadKind.IO);
        ThreadFactory virtual = virtual();
        StreamOptions options = StreamOptions.builder()
                .threads(kind -> loops.contains(kind) ? PLATFORM : virtual)
                .build();
        Node source = TestTables.node("source");
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 64 << 10));
                StreamingNode receiver = start(TestTables.node("target"), options)) {
            assertThat(receiver.execute(TestTables.plan(source, 0))
                            .get(30, SECONDS)
                            .isComplete())
                    .isTrue();
            assertThat(sender.counters().bytesSent()).isPositive();
        }
    }
}
