package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.report.ExitCode;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What this process prints: text in UTF-8, whatever the locale is, since programs read it. Java's own stream keeps
 * silent about what it cannot write; this one remembers why, and writes nothing more. Thread-safe.
 */
final class StandardOutput extends OutputStream {
    private final OutputStream file = new FileOutputStream(FileDescriptor.out);
    private volatile @Nullable IOException failure;

    private StandardOutput() {}

    /** Puts it in the place of {@link System#out}, of which {@code checkError} then says whether it was written. */
    static StandardOutput install() {
        StandardOutput output = new StandardOutput();
        System.setOut(new PrintStream(new BufferedOutputStream(output), true, StandardCharsets.UTF_8));
        return output;
    }

    /** The same for commands that print to a writer. */
    PrintWriter writer() {
        return new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    }

    /**
     * The exit code of a process that would end with {@code code}: if anything of its output is lost it says why, and
     * does not end as if all went well.
     *
     * @param printed what {@link #writer} returned
     */
    int end(int code, PrintWriter printed) {
        printed.flush();
        System.out.flush();
        IOException lost = failure;
        if (lost == null) {
            return code;
        }
        System.err.println("sluice: standard output cannot be written (" + Refusal.because(lost) + ")");
        return code == ExitCode.OK.number() ? ExitCode.FAILED.number() : code;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        IOException before = failure;
        if (before != null) {
            throw before;
        }
        try {
            file.write(bytes, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }
}
