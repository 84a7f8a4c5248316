package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tools.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedSyncTest {
    private final AtomicInteger syncs = new AtomicInteger();
    private final AtomicInteger returned = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    @Test
    void each_of_those_who_come_one_after_the_other_gets_a_sync() throws IOException {
        SharedSync shared = new SharedSync(syncs::incrementAndGet);

        shared.sync();
        shared.sync();

        assertThat(syncs).hasValue(2);
    }

    @Test
    void who_comes_while_one_runs_waits_for_the_next_with_all_others() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        SharedSync shared = new SharedSync(() -> {
            if (syncs.incrementAndGet() == 1) {
                first.countDown();
                await(release);
            }
        });
        List<Thread> callers = new ArrayList<>(List.of(caller(shared)));
        first.await();
        for (int i = 0; i < 20; i++) {
            callers.add(caller(shared));
        }
        Waiting.await() // in the sync, or for the next one
                .until(() -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.WAITING));
        assertThat(returned).hasValue(0); // the one that runs began too early for them

        release.countDown();
        for (Thread caller : callers) {
            caller.join(10_000);
        }

        assertThat(returned).hasValue(21);
        assertThat(syncs).hasValue(2);
    }

    @Test
    void everybody_who_waited_hears_of_a_failure_and_the_next_one_tries_again() throws Exception {
        SharedSync shared = new SharedSync(() -> {
            if (syncs.incrementAndGet() == 1) {
                throw new IOException("the disk is gone");
            }
        });

        assertThatThrownBy(shared::sync).isInstanceOf(IOException.class).hasMessage("the disk is gone");
        shared.sync();

        assertThat(syncs).hasValue(2);
    }

    @Test
    void nobody_who_waited_takes_a_sync_for_done_that_a_defect_has_ended() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        SharedSync shared = new SharedSync(() -> {
            if (syncs.incrementAndGet() == 1) {
                first.countDown();
                await(release);
            } else {
                throw new IllegalStateException("a defect");
            }
        });
        List<Thread> callers = new ArrayList<>(List.of(caller(shared)));
        first.await();
        for (int i = 0; i < 5; i++) {
            callers.add(caller(shared));
        }
        Waiting.await() // in the sync, or for the next one
                .until(() -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.WAITING));

        release.countDown();
        for (Thread caller : callers) {
            caller.join(10_000);
        }

        assertThat(syncs).hasValue(2); // the five shared the second one
        assertThat(returned).hasValue(1);
        assertThat(failed).hasValue(5);
    }

    private Thread caller(SharedSync shared) {
        Thread thread = new Thread(() -> {
            try {
                shared.sync();
                returned.incrementAndGet();
            } catch (IOException | IllegalStateException e) {
                failed.incrementAndGet();
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
