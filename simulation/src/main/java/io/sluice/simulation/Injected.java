package io.sluice.simulation;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Marks errors that the simulation throws on purpose, so that they are not reported as defects. */
interface Injected {
    /** An error of a disk or a database. */
    final class Fault extends IOException implements Injected {
        private static final long serialVersionUID = 1;

        Fault(String what) {
            super("injected: " + what);
        }
    }

    /** A defect of the database. */
    final class Defect extends AssertionError implements Injected {
        private static final long serialVersionUID = 1;

        Defect(String what) {
            super("injected: " + what);
        }
    }

    /** Whether {@code failure}, or one of its causes, was thrown on purpose. */
    static boolean isIn(Throwable failure) {
        for (@Nullable Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof Injected) {
                return true;
            }
        }
        return false;
    }
}
