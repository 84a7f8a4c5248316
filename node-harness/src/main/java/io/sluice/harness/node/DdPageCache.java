package io.sluice.harness.node;

import io.sluice.streaming.install.PageCache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops files from the page cache with {@code dd} of GNU coreutils, which makes the system call that Java lacks: one
 * process for each file of 1 MiB or more, taking a few milliseconds. Thread-safe.
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
                LOG.warn("cannot drop {} from the page cache: {}", file, said.strip());
            }
        } catch (IOException e) {
            LOG.warn("cannot drop {} from the page cache: {}", file, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
