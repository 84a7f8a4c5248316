package io.sluice.harness.cli;

/** Work that ends this process when it is asked to end, unless it is closed before. Thread-safe. */
public final class EndHook implements AutoCloseable {
    private final Thread thread;

    private EndHook(Thread thread) {
        this.thread = thread;
    }

    /**
     * Registers the work.
     *
     * @param work ends the process: only a halt decides its exit code, since this is a shutdown hook already
     */
    public static EndHook of(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        Runtime.getRuntime().addShutdownHook(thread);
        return new EndHook(thread);
    }

    /** Removes it; if it is at work already, waits until it ends the process. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException alreadyEnding) {
            awaitHalt();
        }
    }

    private void awaitHalt() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
