package io.sluice.cassandra.receive;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Another process that wants to receive into a folder. */
final class ReceivingProcess {
    static final String REFUSED = "refused";

    private ReceivingProcess() {}

    public static void main(String[] arguments) throws IOException {
        try {
            ReceiveDirectory.at(Path.of(arguments[0])).close();
            System.out.println("received");
        } catch (FileSystemException refused) {
            System.out.println(refused.getReason().startsWith("in use by another command") ? REFUSED : refused);
        }
    }
}
