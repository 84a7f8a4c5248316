package io.sluice.streaming.engine.receive;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a sync says is never lost: the kernel says it only once. */
@Timeout(30)
class WriteBackTest {
    private static final int STEP_BYTES = 8 << 20;

    @TempDir
    private Path directory = Path.of("");

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final List<IOException> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private LandingFile file(WriteBack writeBack, DiskFile disk) throws IOException {
        LandingFile file = new LandingFile(() -> disk, new OpenFiles(1), writeBack.debt(heard::add));
        file.enter();
        return file;
    }

    /** A file whose syncs wait until they are let go, then fail. */
    private DiskFile failing(CountDownLatch begun, CountDownLatch go) throws IOException {
        DiskFile file = new FileSystemDisk().create(directory.resolve("file"));
        return new ForwardingFile() {
            @Override
            public DiskFile real() {
                return file;
            }

            @Override
            public void sync() throws IOException {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new IOException("injected: Input/output error");
            }
        };
    }

    @Test
    void closing_waits_for_a_running_sync_and_tells_its_error() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        LandingFile file = file(new WriteBack(threads, Long.MAX_VALUE), failing(begun, go));
        file.write(ByteBuffer.allocate(STEP_BYTES), 0);
        begun.await();

        Thread closing = Thread.currentThread();
        threads.execute(() -> {
            await().until(() -> closing.getState() == Thread.State.WAITING);
            go.countDown();
        });

        assertThatThrownBy(file::close).isInstanceOf(IOException.class).hasMessageContaining("Input/output error");
        assertThat(heard).hasSize(1);
    }

    @Test
    void who_lands_too_much_syncs_it_himself() throws Exception {
        CountDownLatch open = new CountDownLatch(0);
        LandingFile file = file(new WriteBack(threads, 1 << 10), failing(open, open));

        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(2 << 10), 0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("injected");
        assertThatThrownBy(file::close).hasMessageContaining("an earlier sync failed");
    }

    @Test
    void who_lands_while_the_session_ends_leaves_nothing_to_be_synced() throws Exception {
        WriteBack writeBack = new WriteBack(threads, Long.MAX_VALUE);
        WriteBack.Debt debt = writeBack.debt(e -> {});
        debt.add(100);

        debt.settle();
        debt.add(16); // by a thread that had written these, and had not counted them yet

        assertThat(writeBack.sample().used()).isZero();
    }
}
