package io.sluice.sstable.component;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kinds of files that make up an SSTable, a closed set: names from elsewhere are never used as file names. The
 * ordinal order is the order in which components are sent: those needed to check the data come before it.
 */
public enum Component {
    STATISTICS("Statistics.db"),
    COMPRESSION_INFO("CompressionInfo.db"),
    CRC("CRC.db"),
    DIGEST("Digest.crc32"),
    FILTER("Filter.db"),
    SUMMARY("Summary.db"),
    INDEX("Index.db"),
    PARTITIONS("Partitions.db"),
    ROWS("Rows.db"),
    DATA("Data.db"),
    TOC("TOC.txt"),
    /** Not a component on disk: a part of an SSTable that is sent as rows. */
    PART("Part.db"),
    /** Not a component on disk: all {@linkplain AttachedFile attached files} of an SSTable, sent as one file. */
    ATTACHED("Attached.db");

    private static final Map<String, Component> BY_FILE_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Component::fileName, component -> component));

    private final String fileName;

    Component(String fileName) {
        this.fileName = fileName;
    }

    /** The last part of the file's name, {@code Data.db}. */
    public String fileName() {
        return fileName;
    }

    /** The components on disk of an SSTable of this format. */
    public static Set<Component> of(SSTableFormat format) {
        Set<Component> components = EnumSet.copyOf(ofSSTables());
        components.removeAll(
                switch (format) {
                    case BIG -> EnumSet.of(PARTITIONS, ROWS);
                    case BTI -> EnumSet.of(SUMMARY, INDEX);
                });
        return components;
    }

    /** The components on disk, of any format. */
    public static Set<Component> ofSSTables() {
        return EnumSet.complementOf(EnumSet.of(PART, ATTACHED));
    }

    /** Whether the component is sent to other nodes; the receiver writes its own {@link #TOC}. */
    public boolean isStreamed() {
        return this != TOC;
    }

    /** The component with this file name part, or empty if there is none. */
    public static Optional<Component> ofFileName(String fileName) {
        return Optional.ofNullable(BY_FILE_NAME.get(fileName));
    }
}
