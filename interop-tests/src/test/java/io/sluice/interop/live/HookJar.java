package io.sluice.interop.live;

import io.sluice.hook.HookAgent;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** The jar that {@code -javaagent} takes: that of the build, or, where there are only classes, one made of them. */
final class HookJar {
    private static final Path MANIFEST = Path.of("META-INF", "MANIFEST.MF");

    private HookJar() {}

    /** @param folder for a jar that has to be made */
    static Path in(Path folder) throws IOException {
        Path built = built();
        if (!Files.isDirectory(built)) {
            return built;
        }
        Path jar = folder.resolve("sluice-cassandra-hook.jar");
        try (InputStream manifest = Files.newInputStream(built.resolve(MANIFEST));
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), new Manifest(manifest))) {
            for (Path file : files(built)) {
                out.putNextEntry(new JarEntry(built.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private static Path built() {
        try {
            return Path.of(HookAgent.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Path> files(Path root) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith(MANIFEST))
                    .toList();
        }
    }
}
