package io.sluice.netty.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The default size of socket buffers. Uses no class of Netty: options are built before its version is checked. */
public final class SocketBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(SocketBuffers.class);

    /** Enough for 10 Gbit/s over 3 ms, and for one system call to move a megabyte on a fast path. */
    private static final int LARGE_BYTES = 4 << 20;

    private SocketBuffers() {}

    /** 4 MiB if the kernel allows buffers of that size to be set, otherwise 0: it then sizes them itself. */
    public static int defaultBytes() {
        return limit("rmem_max") >= LARGE_BYTES && limit("wmem_max") >= LARGE_BYTES ? LARGE_BYTES : 0;
    }

    private static long limit(String name) {
        try {
            return Long.parseLong(
                    Files.readString(Path.of("/proc/sys/net/core", name)).strip());
        } catch (IOException | NumberFormatException notLinux) {
            LOG.debug("cannot read the limit {}: {}", name, notLinux.toString());
            return 0;
        }
    }
}
