package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Printable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
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
    private static final int MAX_NAME_LENGTH = 222;
    private static final Pattern NAME = Pattern.compile("\\w{1," + MAX_NAME_LENGTH + "}");
    private static final Pattern FOLDER = Pattern.compile("(" + NAME + ")-([0-9a-f]{16})([0-9a-f]{16})");
    private static final Pattern DATA_FILE = Pattern.compile("([a-z]{2})-(\\w+)-([a-z]+)-Data\\.db");
    private static final Comparator<Descriptor> ORDER =
            Comparator.comparing(Descriptor::id).thenComparing(Descriptor::version);

    /**
     * The path of a table's folder; does not create it. The only place where names become a path.
     *
     * @throws IllegalArgumentException if a name is not one of letters, digits and underscores, all ASCII
     */
    public static Path in(Path dataDirectory, String keyspace, String name, UUID id) {
        return dataDirectory
                .resolve(requireName("keyspace", keyspace))
                .resolve(requireName("table", name) + "-" + id.toString().replace("-", ""));
    }

    private static String requireName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(what + " '" + Printable.text(name) + "': not a name (expected: 1 to "
                    + MAX_NAME_LENGTH + " letters, digits and underscores)");
        }
        return name;
    }

    /** The table of the folder {@code directory}; empty if its name is not that of a table folder. */
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
        return LocalFiles.entries(directory).stream().filter(Files::isDirectory).toList();
    }

    /**
     * The SSTables in a folder.
     *
     * @param sstables that have all required components, ascending by id
     * @param leftOut each other SSTable, by file name; also a transaction log that is not understood
     */
    public record Contents(List<Descriptor> sstables, List<Unread> leftOut) {
        public Contents {
            sstables = List.copyOf(sstables);
            leftOut = List.copyOf(leftOut);
        }
    }

    /**
     * What is not read.
     *
     * @param path of the SSTable, without the name of a component where several are known; or of a single file
     */
    public record Unread(Path path, SSTableException why) {}

    /**
     * The SSTables in the folder, ascending by id; not those in its snapshots, backups and indexes, nor those that an
     * operation of Cassandra has not finished or has replaced already.
     *
     * @throws SSTableException if one lacks a required component or has an unsupported version, or a transaction log
     *     cannot be understood: operations on a whole table must not skip data
     */
    public List<Descriptor> descriptors() throws IOException {
        Contents contents = contents();
        if (!contents.leftOut().isEmpty()) {
            throw contents.leftOut().get(0).why();
        }
        return contents.sstables();
    }

    /**
     * The SSTables in the folder, and the unreadable ones; not those in its snapshots, backups and indexes, nor those
     * that an operation of Cassandra has not finished or has replaced already.
     */
    public Contents contents() throws IOException {
        Map<Descriptor, Set<Component>> found = new TreeMap<>(ORDER);
        List<Unread> leftOut = new ArrayList<>();
        Set<Descriptor> notLive = new HashSet<>();
        for (String fileName : fileNames()) {
            Optional<Descriptor.Named> named = Descriptor.parse(fileName);
            if (TransactionLog.isName(fileName)) {
                notLive.addAll(notLive(path.resolve(fileName), leftOut));
            } else if (named.isEmpty()) {
                unsupported(path.resolve(fileName))
                        .filter(left -> isFile(fileName))
                        .ifPresent(leftOut::add);
            } else if (!isRequired(named.get()) || isFile(fileName)) { // others decide nothing: a system call saved
                found.computeIfAbsent(named.get().descriptor(), d -> EnumSet.noneOf(Component.class))
                        .add(named.get().component());
            }
        }
        found.keySet().removeAll(notLive);
        List<Descriptor> sstables = new ArrayList<>();
        found.forEach((descriptor, present) ->
                missing(descriptor, present).ifPresentOrElse(leftOut::add, () -> sstables.add(descriptor)));
        return new Contents(sstables, leftOut);
    }

    /** What is not live by a transaction log; a log that is not understood is added to {@code leftOut}. */
    private static Set<Descriptor> notLive(Path log, List<Unread> leftOut) throws IOException {
        try {
            return TransactionLog.read(log).notLive();
        } catch (NoSuchFileException ended) { // what it had replaced was removed before it
            return Set.of();
        } catch (SSTableException notUnderstood) {
            leftOut.add(new Unread(log, notUnderstood));
            return Set.of();
        }
    }

    /** Why a Data.db is not read, by its name; empty if it may be, or is none. */
    public static Optional<Unread> unsupported(Path file) {
        String name = String.valueOf(file.getFileName());
        Matcher matcher = DATA_FILE.matcher(name);
        return matcher.matches() && Descriptor.parse(name).isEmpty()
                ? Optional.of(new Unread(file, SSTableException.unsupported(file + ": " + unknownPart(matcher))))
                : Optional.empty();
    }

    private static String unknownPart(Matcher name) {
        Optional<Version> version = Stream.of(Version.values())
                .filter(known -> known.letters().equals(name.group(1)))
                .findFirst();
        if (version.isEmpty()) {
            return "version " + name.group(1) + " (expected: " + Version.all() + ")";
        }
        String format = version.get().format().fileNamePart();
        if (!format.equals(name.group(3))) {
            return "format '" + name.group(3) + "' (expected: '" + format + "' with version " + name.group(1) + ")";
        }
        return "id '" + name.group(2) + "' (expected: a number to " + Integer.MAX_VALUE
                + " or 28 letters and digits as 3g8r_0abc_...)";
    }

    private List<String> fileNames() throws IOException {
        return LocalFiles.entries(path).stream()
                .map(Path::getFileName)
                .map(Path::toString)
                .toList();
    }

    private boolean isFile(String fileName) {
        return Files.isRegularFile(path.resolve(fileName));
    }

    private static boolean isRequired(Descriptor.Named named) {
        return SSTable.required(named.descriptor().version().format()).contains(named.component());
    }

    private Optional<Unread> missing(Descriptor descriptor, Set<Component> present) {
        return SSTable.required(descriptor.version().format()).stream()
                .filter(component -> !present.contains(component))
                .findFirst()
                .map(component -> {
                    Path sstable = path.resolve(descriptor.toString());
                    return new Unread(
                            sstable,
                            new SSTableException(sstable + ": no " + component.fileName() + ", only " + present
                                    + " (expected: all required components)"));
                });
    }
}
