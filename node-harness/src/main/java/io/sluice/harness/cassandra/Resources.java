package io.sluice.harness.cassandra;

import com.google.common.io.ByteSource;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Properties;

/** Files that this package carries with it. Stateless. */
final class Resources {
    private Resources() {}

    /** Versions that the root pom names. */
    static Properties versions() throws IOException {
        Properties versions = new Properties();
        try (InputStream in = open("versions.properties").openStream()) {
            versions.load(in);
        }
        return versions;
    }

    /** Copies one of the files, over what is there. */
    static Path copy(String name, Path target) throws IOException {
        open(name).copyTo(MoreFiles.asByteSink(target));
        return target;
    }

    private static ByteSource open(String name) {
        return com.google.common.io.Resources.asByteSource(
                com.google.common.io.Resources.getResource(Resources.class, name));
    }
}
