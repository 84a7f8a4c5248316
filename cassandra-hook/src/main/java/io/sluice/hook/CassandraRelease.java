package io.sluice.hook;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * The release of the Cassandra on the class path. A later one may have the same methods and mean something else by
 * them, so what was never tried is refused by name. Stateless.
 */
final class CassandraRelease {
    private static final String FILE = "org/apache/cassandra/config/version.properties";
    private static final String KEY = "CassandraVersion";
    private static final Pattern TRIED = Pattern.compile("(4\\.0|4\\.1|5\\.0)\\.\\d.*");

    private CassandraRelease() {}

    /**
     * Checks that it is one that the hook was made for.
     *
     * @throws IOException naming the release, or the file or key that is missing
     */
    static void require(ClassLoader loader) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = loader.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IOException("no file " + FILE);
            }
            properties.load(in);
        } catch (IllegalArgumentException e) {
            throw new IOException(FILE + ": malformed: " + e.getMessage(), e);
        }
        String release = properties.getProperty(KEY);
        if (release == null) {
            throw new IOException("no " + KEY + " in " + FILE);
        }
        if (!TRIED.matcher(release.trim()).matches()) {
            throw new IOException("this is Cassandra " + release.trim());
        }
    }
}
