package io.sluice.netty.receive;

import io.sluice.streaming.install.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A component file while its bytes arrive. Thread-safe for different parts of the file. */
final class LandingFile implements AutoCloseable {
    private final DiskFile file;
    private final WriteBack.Debt debt;

    LandingFile(DiskFile file, WriteBack.Debt debt) {
        this.file = file;
        this.debt = debt;
    }

    /** Writes all of {@code bytes} at {@code position}. */
    void write(ByteBuffer bytes, long position) throws IOException {
        int length = bytes.remaining();
        file.writeFully(bytes, position);
        debt.add(length);
    }

    /**
     * Closes the file when no sync of it is running any more.
     *
     * @throws IOException also if a sync has failed before: then bytes may be lost
     */
    @Override
    public void close() throws IOException {
        try (file) {
            debt.settle();
        }
    }
}
