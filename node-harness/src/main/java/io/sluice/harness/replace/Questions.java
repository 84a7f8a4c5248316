package io.sluice.harness.replace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Questions to agents, while the asker does something else. Owns threads; when it is closed nobody waits for answers
 * any more. Thread-safe.
 */
final class Questions implements AutoCloseable {
    /** Of many short questions. */
    static final int MOST_AT_ONCE = 16;

    private final ExecutorService threads;

    /** @param atOnce how many are asked at the same time; the others wait for their turn */
    Questions(int atOnce) {
        this.threads = Executors.newFixedThreadPool(atOnce, task -> {
            Thread thread = new Thread(task, "sluice-question");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** What is asked. */
    interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /** A question that was asked, or will be. */
    record Asked<T>(Future<T> future) {
        /**
         * Waits for the answer.
         *
         * @throws IOException with which asking has failed
         */
        T answer() throws IOException, InterruptedException {
            try {
                return future.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failed) {
                    throw failed;
                }
                throw new IOException("a question to an agent failed: " + e.getCause(), e);
            }
        }
    }

    /** Asks as soon as it is its turn. */
    <T> Asked<T> ask(Question<T> question) {
        return new Asked<>(threads.submit(question::ask));
    }

    /**
     * Asks all at the same time, since each agent has a machine of its own.
     *
     * @return the answers in the order of questions
     * @throws IOException that of the first that fails, as soon as it does; the others are interrupted
     */
    static <T> List<T> all(List<Question<T>> questions) throws IOException, InterruptedException {
        return all(questions, questions.size());
    }

    /** The same, not more than some of them at the same time. */
    static <T> List<T> all(List<Question<T>> questions, int atOnce) throws IOException, InterruptedException {
        try (Questions threads = new Questions(Math.max(1, Math.min(atOnce, questions.size())))) {
            CompletionService<T> ended = new ExecutorCompletionService<>(threads.threads);
            List<Asked<T>> asked = questions.stream()
                    .map(question -> new Asked<>(ended.submit(question::ask)))
                    .toList();
            for (int i = 0; i < asked.size(); i++) {
                T unused = new Asked<>(ended.take()).answer();
            }
            List<T> answers = new ArrayList<>();
            for (Asked<T> one : asked) {
                answers.add(one.answer());
            }
            return answers;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
