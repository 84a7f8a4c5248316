package io.sluice.streaming.guard;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Collects errors of the virtual machine (out of memory, stack overflow) from calls of the database or the work of one
 * plan or session. They fail the plan as an exception does. When the plan has ended and its peer is notified, they are
 * passed to the {@link Thread.UncaughtExceptionHandler} of the thread (usually the process's default one), because only
 * the embedder can decide whether the process may continue. Thread-safe.
 */
public final class VirtualMachineErrors {
    private static final int DEPTH = 10;
    /** Maximum number of kept errors. */
    private static final int MOST = 8;

    private final Queue<VirtualMachineError> errors = new ConcurrentLinkedQueue<>();

    /** Keeps {@code failure}, or its cause, if it is an error of the virtual machine. */
    public void note(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < DEPTH; i++, at = at.getCause()) {
            if (at instanceof VirtualMachineError error && errors.size() < MOST && !errors.contains(error)) {
                errors.add(error);
            }
        }
    }

    /** Passes {@code failure}, or its cause, on at once if it is an error of the virtual machine. */
    public static void handOn(Throwable failure) {
        VirtualMachineErrors one = new VirtualMachineErrors();
        one.note(failure);
        one.handOn();
    }

    /** Passes kept errors to the handler of this thread, each once. May not return: the handler may end the process. */
    public void handOn() {
        for (VirtualMachineError error = errors.poll(); error != null; error = errors.poll()) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
    }
}
