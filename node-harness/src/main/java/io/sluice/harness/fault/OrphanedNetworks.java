package io.sluice.harness.fault;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Networks whose harness was killed before it could remove them: their names contain its process id, and no such
 * process exists. Stateless.
 */
final class OrphanedNetworks {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedNetworks.class);
    private static final Path NAMESPACES = Path.of("/run/netns");
    private static final Path LINKS = Path.of("/sys/class/net");

    /**
     * Names given by {@link Namespaces}: sl, the process id, then the bridge, or a node and the outer end of its link.
     */
    private static final Pattern NAME = Pattern.compile("sl(\\d+)(b|n\\d+|n\\d+o)");

    private OrphanedNetworks() {}

    /**
     * Removes the networks and kills processes that still run in them: a frozen node does not notice that its harness
     * died.
     */
    static void remove() throws IOException, InterruptedException {
        for (String namespace : dead(NAMESPACES)) {
            LOG.info("{} was orphaned by a run that was killed", namespace);
            for (String process :
                    Namespaces.run("ip", "netns", "pids", namespace).lines().toList()) {
                ProcessHandle.of(Long.parseLong(process.strip())).ifPresent(ProcessHandle::destroyForcibly);
            }
            Namespaces.run("ip", "netns", "del", namespace);
        }
        for (String link : dead(LINKS)) {
            // The kernel removes a link when its namespace ends, which may be a moment after the namespace was deleted.
            try {
                Namespaces.run("ip", "link", "del", link);
            } catch (IOException e) {
                if (Files.exists(LINKS.resolve(link))) {
                    throw e;
                }
            }
        }
    }

    private static List<String> dead(Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return names;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "sl*")) {
            for (Path entry : entries) {
                Matcher name = NAME.matcher(entry.getFileName().toString());
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    names.add(name.group());
                }
            }
        }
        return names;
    }
}
