package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Passes everything on to another file; tests replace what they want to go wrong. */
public class ForwardingFile implements DiskFile {
    private final DiskFile real;

    public ForwardingFile(DiskFile real) {
        this.real = real;
    }

    @Override
    public int write(ByteBuffer bytes, long position) throws IOException {
        return real.write(bytes, position);
    }

    @Override
    public void sync() throws IOException {
        real.sync();
    }

    @Override
    public long size() throws IOException {
        return real.size();
    }

    @Override
    public void close() throws IOException {
        real.close();
    }
}
