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
 * Networks whose harness was killed before it could take them away: their names hold its process id, and no such
 * process is there any more. Stateless.
 */
final class OrphanedNetworks {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedNetworks.class);
    private static final Path NAMESPACES = Path.of("/run/netns");
    private static final Path LINKS = Path.of("/sys/class/net");

    /** As {@link Namespaces} names them: sl, its process, then the bridge, or a node and the outer end of its cable. */
    private static final Pattern NAME = Pattern.compile("sl(\\d+)(b|n\\d+|n\\d+o)");

    private OrphanedNetworks() {}

    /** Takes them away, and ends who still lives in them: a node that was frozen does not notice that it is alone. */
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
            // The kernel takes a cable away when its namespace ends, which may be a moment after that was asked for.
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
