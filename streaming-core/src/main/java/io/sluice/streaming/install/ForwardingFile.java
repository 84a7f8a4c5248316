package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that delegates to another one; implementations override some methods, as those of {@link ForwardingDisk}. */
public interface ForwardingFile extends DiskFile {
    /** The file to delegate to. */
    DiskFile real();

    @Override
    default int write(ByteBuffer bytes, long position) throws IOException {
        return real().write(bytes, position);
    }

    @Override
    default void sync() throws IOException {
        real().sync();
    }

    @Override
    default long size() throws IOException {
        return real().size();
    }

    @Override
    default void close() throws IOException {
        real().close();
    }
}
