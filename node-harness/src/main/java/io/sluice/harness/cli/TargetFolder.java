package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where {@code --target} of a benchmark lets files arrive. Stateless. */
public final class TargetFolder {
    private TargetFolder() {}

    /**
     * Makes the folder if it is missing: whether that works is found out now, not when the data has been made and
     * processes have been started.
     *
     * @param target nothing if the work directory is meant
     * @throws ConfigException if it cannot be made, or not be written
     */
    public static void require(@Nullable Path target) {
        if (target == null) {
            return;
        }
        try {
            Files.createDirectories(target);
        } catch (IOException e) {
            throw new ConfigException(
                    "--target " + target + ": cannot be made: " + Refusal.because(e)
                            + " (expected: a folder, or where one can be made)",
                    e);
        }
        if (!Files.isWritable(target)) {
            throw new ConfigException(
                    "--target " + target + ": cannot be written (expected: a folder that this user may write)");
        }
    }
}
