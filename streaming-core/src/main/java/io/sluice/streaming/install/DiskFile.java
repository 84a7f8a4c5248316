package io.sluice.streaming.install;

import io.sluice.sstable.encoding.OutputFile;
import java.io.IOException;

/** An open file of a {@link Disk}. Thread-safe for different parts of the file. */
public interface DiskFile extends OutputFile {
    /** Makes durable what was written until now; more may be written meanwhile. */
    void sync() throws IOException;

    /** Length, in bytes. */
    long size() throws IOException;
}
