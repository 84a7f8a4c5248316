package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of a table: {@code <data>/<keyspace>/<table>-<table id>}. Immutable.
 *
 * @param path of the folder
 * @param keyspace name of the folder above
 * @param name of the table
 * @param id of the table
 */
public record TableDirectory(Path path, String keyspace, String name, UUID id) {
    private static final Pattern FOLDER = Pattern.compile("(\\w{1,222})-([0-9a-f]{16})([0-9a-f]{16})");
    private static final Pattern DATA_FILE = Pattern.compile("[a-z]{2}-\\w+-[a-z]+-Data\\.db");
    private static final Comparator<Descriptor> ORDER =
            Comparator.comparing(Descriptor::id).thenComparing(Descriptor::version);

    /** The table whose folder {@code directory} is, or empty if its name is none of a table. */
    public static Optional<TableDirectory> of(Path directory) {
        Path absolute = directory.toAbsolutePath().normalize();
        Path keyspace = absolute.getParent();
        if (keyspace == null || keyspace.getFileName() == null || !Files.isDirectory(absolute)) {
            return Optional.empty();
        }
        Matcher matcher = FOLDER.matcher(absolute.getFileName().toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        UUID id = new UUID(Long.parseUnsignedLong(matcher.group(2), 16), Long.parseUnsignedLong(matcher.group(3), 16));
        return Optional.of(new TableDirectory(directory, keyspace.getFileName().toString(), matcher.group(1), id));
    }

    /** The tables of a data folder, of the folder of one keyspace, or the one table whose folder it is; by path. */
    public static List<TableDirectory> find(Path dataDirectory) throws IOException {
        Optional<TableDirectory> itself = of(dataDirectory);
        if (itself.isPresent()) {
            return List.of(itself.get());
        }
        List<TableDirectory> tables = tablesIn(dataDirectory);
        if (!tables.isEmpty()) {
            return tables;
        }
        for (Path keyspace : foldersIn(dataDirectory)) {
            tables.addAll(tablesIn(keyspace));
        }
        return tables;
    }

    private static List<TableDirectory> tablesIn(Path keyspace) throws IOException {
        List<TableDirectory> tables = new ArrayList<>();
        for (Path folder : foldersIn(keyspace)) {
            of(folder).ifPresent(tables::add);
        }
        return tables;
    }

    private static List<Path> foldersIn(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory).sorted().toList();
        }
    }

    /**
     * The SSTables in the folder, ascending by id; not those in its snapshots, backups and indexes.
     *
     * @throws SSTableException if one lacks a required component or is of a version that is not read
     */
    public List<Descriptor> descriptors() throws IOException {
        Map<Descriptor, Set<Component>> found = new TreeMap<>(ORDER);
        for (String fileName : fileNames()) {
            Optional<Descriptor.Named> named = Descriptor.parse(fileName);
            if (named.isPresent()) {
                found.computeIfAbsent(named.get().descriptor(), d -> EnumSet.noneOf(Component.class))
                        .add(named.get().component());
            } else if (DATA_FILE.matcher(fileName).matches()) {
                throw new SSTableException(path.resolve(fileName) + ": version of an SSTable (expected: nb, oa or da)");
            }
        }
        for (Map.Entry<Descriptor, Set<Component>> sstable : found.entrySet()) {
            requireComponents(sstable.getKey(), sstable.getValue());
        }
        return List.copyOf(found.keySet());
    }

    private List<String> fileNames() throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            return entries.filter(Files::isRegularFile)
                    .map(Path::getFileName)
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    private void requireComponents(Descriptor descriptor, Set<Component> present) throws SSTableException {
        for (Component component : SSTable.required(descriptor.version().format())) {
            if (!present.contains(component)) {
                throw new SSTableException(path.resolve(descriptor.toString()) + ": no " + component.fileName()
                        + ", only " + present + " (expected: all required components)");
            }
        }
    }
}
