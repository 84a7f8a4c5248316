package io.sluice.bench.process;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a measurement runs on. Stateless. */
public final class Machine {
    private Machine() {}

    /** The average load of the last minute, in processors. */
    public static double load() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getSystemLoadAverage();
    }

    /** Processors, system, and the file system of {@code folder}, in words. */
    public static String text(Path folder) throws IOException {
        return Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + ", "
                + Files.getFileStore(folder).type();
    }
}
