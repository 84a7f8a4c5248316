package io.sluice.harness.cassandra;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/** Files that this package carries with it. Stateless. */
final class Resources {
    private Resources() {}

    /** Versions that the root pom names. */
    static Properties versions() throws IOException {
        Properties versions = new Properties();
        try (InputStream in = open("versions.properties")) {
            versions.load(in);
        }
        return versions;
    }

    /** Copies one of the files, over what is there. */
    static Path copy(String name, Path target) throws IOException {
        try (InputStream in = open(name)) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
        return target;
    }

    private static InputStream open(String name) throws IOException {
        InputStream in = Resources.class.getResourceAsStream(name);
        if (in == null) {
            throw new FileNotFoundException(name + ": not in the jar of node-harness (expected: a complete build)");
        }
        return in;
    }
}
