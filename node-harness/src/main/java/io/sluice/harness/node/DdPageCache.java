package io.sluice.harness.node;

import io.sluice.streaming.install.PageCache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops files by {@code dd} of GNU coreutils, which has the system call that Java lacks: a process for each file of 1
 * MiB or more, some milliseconds. Thread-safe.
 */
final class DdPageCache implements PageCache {
    private static final Logger LOG = LoggerFactory.getLogger(DdPageCache.class);

    @Override
    public void drop(Path file) {
        try {
            Process dd = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(dd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (dd.waitFor() != 0) {
                LOG.warn("{} stays in memory: {}", file, said.strip());
            }
        } catch (IOException e) {
            LOG.warn("{} stays in memory: {}", file, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
