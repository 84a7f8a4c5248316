package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * One real SSTable of the test resources.
 *
 * @param folder of the label: it holds what the reference tool printed
 */
public record Fixture(Path folder, Path directory, Descriptor descriptor) {

    /** All fixtures, in order of their names. */
    public static List<Fixture> all() {
        Path root = root();
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                    .sorted()
                    .map(Fixture::of)
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Path root() {
        URL root = Objects.requireNonNull(Fixture.class.getResource("/fixtures"), "fixtures");
        try {
            return Path.of(root.toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Fixture of(Path data) {
        Path directory = Objects.requireNonNull(data.getParent());
        Path folder = Objects.requireNonNull(
                Objects.requireNonNull(directory.getParent()).getParent());
        Descriptor descriptor =
                Descriptor.parse(data.getFileName().toString()).orElseThrow().descriptor();
        return new Fixture(folder, directory, descriptor);
    }

    /** Name of the table. */
    public String table() {
        return Objects.requireNonNull(folder.getParent()).getFileName().toString();
    }

    public Path file(Component component) {
        return directory.resolve(descriptor.fileName(component));
    }

    public boolean has(Component component) {
        return Files.exists(file(component));
    }

    /** What the reference tool printed, if it could. */
    public Optional<InputStream> expectedDump() throws IOException {
        for (String prefix : List.of("", descriptor + ".")) {
            Path plain = folder.resolve(prefix + "expected.json");
            if (Files.exists(plain)) {
                return Optional.of(Files.newInputStream(plain));
            }
            Path packed = folder.resolve(prefix + "expected.json.gz");
            if (Files.exists(packed)) {
                return Optional.of(new GZIPInputStream(Files.newInputStream(packed)));
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return table() + " " + descriptor;
    }
}
