package io.sluice.streaming.guard;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Errors of the virtual machine (no memory, no stack) that calls of the database, or the work of one plan or session,
 * have ended with. They fail the plan as an exception does; when it has ended, and its peer has been notified, they go
 * on to the embedder, who alone can judge whether the process may live on: to the
 * {@link Thread.UncaughtExceptionHandler} of the thread, which is the process's default one unless somebody gave it
 * another. Thread-safe.
 */
public final class VirtualMachineErrors {
    private static final int DEPTH = 10;
    /** With this many queued another one adds nothing. */
    private static final int MOST = 8;

    private final Queue<VirtualMachineError> errors = new ConcurrentLinkedQueue<>();

    /** Keeps what {@code failure} is, or was caused by, if it is an error of the virtual machine. */
    public void note(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < DEPTH; i++, at = at.getCause()) {
            if (at instanceof VirtualMachineError error && errors.size() < MOST && !errors.contains(error)) {
                errors.add(error);
            }
        }
    }

    /** Hands what {@code failure} is, or was caused by, on at once, if it is an error of the virtual machine. */
    public static void handOn(Throwable failure) {
        VirtualMachineErrors one = new VirtualMachineErrors();
        one.note(failure);
        one.handOn();
    }

    /**
     * Hands what was kept to the handler of this thread, each error once. May not return, if the handler so decides.
     */
    public void handOn() {
        for (VirtualMachineError error = errors.poll(); error != null; error = errors.poll()) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
    }
}
