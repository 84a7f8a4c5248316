package io.sluice.harness.scenario;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.report.RunReport.Environment;
import io.sluice.harness.report.SluiceVersion;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Finds out on what a run runs. Stateless. */
final class RunEnvironment {
    private static final Path CONGESTION_CONTROL = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final String MAIN = "io.sluice.harness.cli.Main";
    private static final String UNKNOWN = "unknown";

    private RunEnvironment() {}

    /** @param workDirectory exists */
    static Environment of(Path workDirectory, SluiceConfig config) throws IOException {
        OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Environment(
                SluiceVersion.TEXT,
                command(),
                settings(config),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                machine.getAvailableProcessors(),
                machine.getTotalMemorySize(),
                Files.getFileStore(workDirectory).type(),
                Files.isReadable(CONGESTION_CONTROL)
                        ? Files.readString(CONGESTION_CONTROL, StandardCharsets.UTF_8)
                                .strip()
                        : UNKNOWN,
                machine.getSystemLoadAverage());
    }

    /** Of this process, if it is the command line's. The kernel has the first 4 KiB of it, the JVM all. */
    private static String command() {
        String java = System.getProperty("sun.java.command", "");
        return java.startsWith(MAIN) ? "./sluice" + java.substring(MAIN.length()) : "";
    }

    private static Map<String, String> settings(SluiceConfig config) {
        Map<String, String> settings = new TreeMap<>(config.texts());
        settings.keySet().removeIf(key -> key.contains("password") || key.contains("token"));
        return settings;
    }
}
