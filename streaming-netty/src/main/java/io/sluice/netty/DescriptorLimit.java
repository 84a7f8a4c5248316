package io.sluice.netty;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The part of the process's file descriptors that streaming may use for received files by default. */
final class DescriptorLimit {
    private static final int LEAST = 64;
    private static final int MOST = 1_024;
    /** The rest is left to the database, connections and logs. */
    private static final int SHARE = 8;

    private DescriptorLimit() {}

    /** An eighth of the limit, 64 to 1,024; 1,024 if the system does not report a limit. */
    static int sparing() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? (int) Math.max(LEAST, Math.min(MOST, system.getMaxFileDescriptorCount() / SHARE))
                : MOST;
    }
}
