package io.sluice.sstable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** One SSTable that a released Cassandra wrote; for tests of any module beside this one. */
public record Fixture(TableDirectory table, Descriptor descriptor) {
    private static final Path RESOURCES = Path.of("..", "sstable-format", "src", "test", "resources");
    private static final Path OLD = RESOURCES.resolve("old");
    private static final Path ROOT = RESOURCES.resolve("fixtures");

    /** All of them; for {@code @MethodSource("io.sluice.sstable.Fixture#all")}. */
    public static Stream<Fixture> all() {
        try (Stream<Path> names = Files.list(ROOT)) {
            return names.filter(Files::isDirectory).sorted().toList().stream()
                    .flatMap(path -> of(path.getFileName().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Stream<Fixture> compressed() {
        return all().filter(fixture -> Files.exists(fixture.path(Component.COMPRESSION_INFO)));
    }

    public static Stream<Fixture> big() {
        return all().filter(fixture -> fixture.descriptor().version() != Version.DA);
    }

    /** Those of 3.11 and of 4.0 before its release, by its offline writer. */
    public static Stream<Fixture> old() {
        try (Stream<Path> labels = Files.list(OLD).filter(Files::isDirectory).flatMap(Fixture::entries)) {
            return labels.sorted().toList().stream().flatMap(Fixture::under);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> entries(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Fixture> under(Path label) {
        try {
            return TableDirectory.find(label).stream().flatMap(Fixture::in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A small one of each version, plain and compressed, and one that compaction wrote. */
    public static Stream<Fixture> samples() {
        return Stream.of("kv", "statics", "lz4_ratio", "wide", "compacted").flatMap(Fixture::of);
    }

    /** The SSTables of one fixture, of all versions. */
    public static Stream<Fixture> of(String name) {
        try (Stream<Path> labels = Files.list(ROOT.resolve(name))) {
            return labels.filter(Files::isDirectory).sorted().toList().stream()
                    .flatMap(label -> of(name, label.getFileName().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The SSTables of one fixture and label. */
    public static Stream<Fixture> of(String name, String label) {
        try {
            return TableDirectory.find(ROOT.resolve(name).resolve(label)).stream()
                    .flatMap(Fixture::in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Fixture> in(TableDirectory table) {
        try {
            return table.descriptors().stream().map(descriptor -> new Fixture(table, descriptor));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public SSTable open() throws IOException {
        return SSTable.open(table.path(), descriptor);
    }

    public Path path(Component component) {
        return table.path().resolve(descriptor.fileName(component));
    }

    /** Whether a compaction wrote it, not a flush. */
    public boolean isCompacted() {
        return table.path().startsWith(ROOT.resolve("compacted"));
    }

    /** Copies the files into {@code directory} and opens the copy. */
    public SSTable copyTo(Path directory) throws IOException {
        for (Component component : Component.values()) {
            if (Files.exists(path(component))) {
                Files.write(directory.resolve(descriptor.fileName(component)), Files.readAllBytes(path(component)));
            }
        }
        return SSTable.open(directory, descriptor);
    }

    /** The dump by the reference tool, or empty if it could not make one. */
    public Optional<JsonNode> expected() throws IOException {
        Path label = table.path().resolve("../..").normalize();
        for (String name : List.of("expected.json", descriptor + ".expected.json")) {
            Path plain = label.resolve(name);
            Path zipped = label.resolve(name + ".gz");
            if (Files.exists(plain)) {
                return Optional.of(new ObjectMapper().readTree(Files.readAllBytes(plain)));
            }
            if (Files.exists(zipped)) {
                try (InputStream in = new GZIPInputStream(Files.newInputStream(zipped))) {
                    return Optional.of(new ObjectMapper().readTree(in));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return table.name() + " " + descriptor;
    }
}
