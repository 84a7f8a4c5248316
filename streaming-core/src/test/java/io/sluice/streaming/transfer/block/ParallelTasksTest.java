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

        assertThat(runs).isEqualTo(3); // the last one finds nothing left
    }

    @Test
    void runs_a_task_while_a_helper_runs_the_first() throws Exception {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CountDownLatch both = new CountDownLatch(2);
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            tasks.add(new FutureTask<>(() -> {
                begun.complete(null);
                both.countDown();
                return both.await(10, TimeUnit.SECONDS); // only another thread can end this
            }));
        }
        List<Boolean> results = new ArrayList<>();
        List<Thread> threads = new CopyOnWriteArrayList<>(); // a helper starts the next one

        ParallelTasks.run(
                tasks,
                tasks,
                helper -> {
                    Thread thread = new Thread(helper);
                    threads.add(thread);
                    thread.start();
                    begun.orTimeout(10, TimeUnit.SECONDS).join(); // the helper is earlier than the caller
                },
                results::add);

        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).join();
        }
        assertThat(results).containsExactly(true, true);
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
}
