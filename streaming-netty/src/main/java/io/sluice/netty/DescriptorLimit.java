package io.sluice.netty;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What of the limit of file descriptors of this process streaming may take for files by itself. */
final class DescriptorLimit {
    private static final int LEAST = 64;
    private static final int MOST = 1_024;
    /** The database, connections and logs have the rest. */
    private static final int SHARE = 8;

    private DescriptorLimit() {}

    /** An eighth of the limit, 64 to 1,024; 1,024 where the system has none that can be asked for. */
    static int sparing() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? (int) Math.max(LEAST, Math.min(MOST, system.getMaxFileDescriptorCount() / SHARE))
                : MOST;
    }
}
