package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;

/** Another process that wants a lock. */
final class LockingProcess {
    static final String REFUSED = "refused";

    private LockingProcess() {}

    public static void main(String[] arguments) throws IOException {
        try {
            new FileSystemDisk().lock(Path.of(arguments[0])).close();
            System.out.println("locked");
        } catch (DirectoryInUseException refused) {
            System.out.println(REFUSED);
        }
    }
}
