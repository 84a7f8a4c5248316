package io.sluice.sstable.metadata;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * TOC.txt: the components of an SSTable, one name per line, itself included. Immutable.
 *
 * @param names such as {@code Data.db}; may contain names of attached files, which are not a {@link Component}
 */
public record Toc(Set<String> names) {
    private static final int MAX_LENGTH_BYTES = 1 << 16;

    public Toc {
        names = Set.copyOf(names);
    }

    /** The table of contents of these components. */
    public static Toc of(Set<Component> components) {
        return new Toc(components.stream().map(Component::fileName).collect(Collectors.toSet()));
    }

    /** Whether {@code component} is listed. */
    public boolean lists(Component component) {
        return names.contains(component.fileName());
    }

    /** The table of contents of these components and attached files. */
    public static Toc of(Set<Component> components, Collection<AttachedFile> attached) {
        Set<String> names = new TreeSet<>(of(components).names());
        attached.forEach(file -> names.add(file.name()));
        return new Toc(names);
    }

    /** Whether files of indexes are listed, and nothing else. */
    public boolean listsOnlyIndexes() {
        return !names.isEmpty()
                && names.stream()
                        .allMatch(name -> AttachedFile.isName(name)
                                && new AttachedFile(name).index().isPresent());
    }

    /** The listed attached files. */
    public SortedSet<AttachedFile> attached() {
        return names.stream()
                .filter(AttachedFile::isName)
                .map(AttachedFile::new)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Reads a file.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is longer than 64 KiB
     */
    public static Toc read(Path file) throws IOException {
        try (ComponentInput in = ComponentInput.open(file)) {
            in.require("length of the file", in.length(), 0, MAX_LENGTH_BYTES);
            String text = in.readBytes(in.length()).utf8();
            return new Toc(text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.toSet()));
        }
    }

    /** The content of the file, sorted by name. */
    public Bytes encode() {
        return Bytes.utf8(new TreeSet<>(names).stream().map(name -> name + "\n").collect(Collectors.joining()));
    }
}
