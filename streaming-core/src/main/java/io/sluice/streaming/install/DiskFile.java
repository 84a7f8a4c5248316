package io.sluice.streaming.install;

import io.sluice.sstable.encoding.OutputFile;
import java.io.IOException;

/** An open file of a {@link Disk}. Thread-safe for different parts of the file. */
public interface DiskFile extends OutputFile {
    /** Makes all bytes written so far durable; concurrent writes are allowed. */
    void sync() throws IOException;

    /** Length, in bytes. */
    long size() throws IOException;
}
