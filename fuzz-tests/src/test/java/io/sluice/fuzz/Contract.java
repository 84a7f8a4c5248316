package io.sluice.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What every parser of bytes from outside must keep to: it gives a value, or throws its one typed exception with a
 * reason, and what it allocates is bounded by a constant and a multiple of what arrived. Stateless.
 */
final class Contract {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final int MORE_TRIES = 3;

    private Contract() {}

    /**
     * Does nothing if {@code target} keeps to the contract for {@code input}, and throws what it must not otherwise.
     */
    static void hold(FuzzTarget target, byte[] input) throws Exception {
        hold(target, input, 1);
    }

    /**
     * The same, where somebody allocates beside the parser.
     *
     * @param factor how many times as much may be allocated, at least 1
     */
    static void hold(FuzzTarget target, byte[] input, int factor) throws Exception {
        long most = factor * (target.fixedBytes() + target.bytesForEach() * input.length);
        long allocated = allocatedBy(target, input);
        for (int again = 0; allocated > most && again < MORE_TRIES; again++) { // whoever is first loads classes
            allocated = allocatedBy(target, input);
        }
        if (allocated > most) {
            throw new AssertionError(target + " allocated " + allocated + " bytes for " + input.length
                    + " (expected: at most " + most + ")");
        }
    }

    private static long allocatedBy(FuzzTarget target, byte[] input) throws Exception {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            target.parser().parse(input);
        } catch (Exception refused) {
            if (target.refusals().stream().noneMatch(type -> type.isInstance(refused))) {
                throw refused;
            }
            requireReason(target, refused);
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void requireReason(FuzzTarget target, Exception refused) {
        String reason = refused.getMessage();
        if (reason == null || reason.isBlank() || reason.equals("null") || reason.endsWith(": null")) {
            throw new AssertionError(target + " gave no reason: " + reason, refused);
        }
    }
}
