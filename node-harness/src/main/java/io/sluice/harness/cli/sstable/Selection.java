package io.sluice.harness.cli.sstable;

import io.sluice.harness.report.ExitCode;
import io.sluice.sstable.TableDirectory.Unread;
import io.sluice.sstable.component.SSTableException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The SSTables that a command works on, and those that it leaves out, each with the reason. Not thread-safe. */
final class Selection<T> {
    private final List<T> sstables = new ArrayList<>();
    private final List<Unread> leftOut = new ArrayList<>();

    void add(T sstable) {
        sstables.add(sstable);
    }

    void leaveOut(Unread left) {
        leftOut.add(left);
    }

    List<T> sstables() {
        return List.copyOf(sstables);
    }

    List<Unread> leftOut() {
        return List.copyOf(leftOut);
    }

    /** Those left out that are damaged; they are left out no more. */
    List<Unread> takeDamaged() {
        List<Unread> damaged =
                leftOut.stream().filter(left -> !left.why().isUnsupported()).toList();
        leftOut.removeAll(damaged);
        return damaged;
    }

    boolean isEmpty() {
        return sstables.isEmpty() && leftOut.isEmpty();
    }

    /**
     * Itself.
     *
     * @throws SSTableException if all are left out
     */
    Selection<T> requireAny() throws SSTableException {
        if (sstables.isEmpty() && !leftOut.isEmpty()) {
            throw leftOut.get(0).why();
        }
        return this;
    }

    /** Prints what is left out, and says how a command ends that did its work with the others. */
    int reportLeftOut(PrintWriter err) {
        leftOut.forEach(left -> err.println("left out: " + left.why().getMessage()));
        err.flush();
        boolean isDamaged = leftOut.stream().anyMatch(left -> !left.why().isUnsupported());
        ExitCode code = isDamaged ? ExitCode.FAILED : leftOut.isEmpty() ? ExitCode.OK : ExitCode.PARTLY;
        return code.number();
    }
}
