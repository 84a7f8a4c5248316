package io.sluice.streaming.transfer.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ParallelTasksTest {
    private static List<FutureTask<Integer>> tasks(int count) {
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            tasks.add(new FutureTask<>(() -> number));
        }
        return tasks;
    }

    @Test
    void gives_the_results_in_order_though_no_helper_ever_runs() throws IOException {
        List<FutureTask<Integer>> tasks = tasks(4);
        List<Runnable> asked = new ArrayList<>();
        List<Integer> results = new ArrayList<>();

        ParallelTasks.run(tasks, tasks, asked::add, results::add);

        assertThat(results).containsExactly(0, 1, 2, 3);
        assertThat(asked).hasSize(3);
    }

    @Test
    void a_helper_takes_one_task_each_time_it_is_queued() throws IOException {
        List<FutureTask<Integer>> tasks = tasks(2); // for one helper
        Queue<Runnable> queue = new ArrayDeque<>();
        ParallelTasks.run(tasks, tasks, queue::add, result -> {});

        int runs = 0;
        while (!queue.isEmpty()) {
            queue.remove().run();
            runs++;
        }

        assertThat(runs).isEqualTo(2); // the last one finds nothing left
    }

    @Test
    void runs_the_next_one_while_a_helper_runs_the_one_awaited() throws Exception {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CountDownLatch last = new CountDownLatch(1);
        List<FutureTask<Boolean>> tasks = List.of(
                new FutureTask<>(() -> true),
                new FutureTask<>(() -> {
                    begun.complete(null);
                    return last.await(10, TimeUnit.SECONDS); // only the caller can end this
                }),
                new FutureTask<>(() -> {
                    last.countDown();
                    return true;
                }));
        List<Boolean> results = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();

        ParallelTasks.run(
                tasks,
                tasks,
                helper -> {
                    if (threads.isEmpty()) { // others are busy
                        threads.add(new Thread(helper));
                        threads.get(0).start();
                        begun.orTimeout(10, TimeUnit.SECONDS).join(); // the helper is earlier than the caller
                    }
                },
                results::add);

        threads.get(0).join();
        assertThat(results).containsExactly(true, true, true);
    }

    @Test
    void runs_the_first_itself_though_helpers_are_earlier() throws IOException {
        Thread caller = Thread.currentThread();
        List<Boolean> isCaller = new CopyOnWriteArrayList<>();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            tasks.add(new FutureTask<>(() -> {
                isCaller.add(Thread.currentThread() == caller);
                return number;
            }));
        }
        List<Integer> results = new ArrayList<>();

        ParallelTasks.run(
                tasks, tasks, helper -> CompletableFuture.runAsync(helper).join(), results::add);

        assertThat(results).containsExactly(0, 1);
        assertThat(isCaller).containsExactly(false, true); // the helper had the second one
    }

    @Test
    void runs_all_and_takes_those_before_the_failed_one() {
        List<FutureTask<Integer>> tasks = tasks(4);
        tasks.set(2, new FutureTask<>(() -> {
            throw new IOException("unreadable");
        }));
        List<Integer> results = new ArrayList<>();

        assertThatThrownBy(() -> ParallelTasks.run(tasks, List.of(), Runnable::run, results::add))
                .isInstanceOf(IOException.class)
                .hasMessage("unreadable");

        assertThat(results).containsExactly(0, 1);
        assertThat(tasks).allMatch(FutureTask::isDone);
    }

    @Test
    void the_failure_of_a_taker_is_like_that_of_a_task() {
        List<FutureTask<Integer>> tasks = tasks(3);
        List<Integer> results = new ArrayList<>();

        assertThatThrownBy(() -> ParallelTasks.run(tasks, List.of(), Runnable::run, result -> {
                    if (result == 1) {
                        throw new IOException("gone");
                    }
                    results.add(result);
                }))
                .hasMessage("gone");

        assertThat(results).containsExactly(0);
        assertThat(tasks).allMatch(FutureTask::isDone);
    }

    /** The code of a failure, and whether another try may help, depend on its type. */
    @Test
    void an_error_of_a_task_is_thrown_as_it_is_after_all_have_run() {
        List<FutureTask<Integer>> tasks = tasks(3);
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        tasks.set(1, new FutureTask<>(() -> {
            throw full;
        }));

        assertThatThrownBy(() -> ParallelTasks.run(tasks, List.of(), Runnable::run, result -> {}))
                .isSameAs(full);

        assertThat(tasks).allMatch(FutureTask::isDone);
    }

    @Test
    void an_error_of_a_taker_is_like_that_of_a_task() {
        List<FutureTask<Integer>> tasks = tasks(3);
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");

        assertThatThrownBy(() -> ParallelTasks.run(tasks, List.of(), Runnable::run, result -> {
                    throw full;
                }))
                .isSameAs(full);

        assertThat(tasks).allMatch(FutureTask::isDone);
    }
}
