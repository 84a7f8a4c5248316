package io.sluice.sstable.component;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A file beside an SSTable that its TOC.txt lists: of secondary indexes ({@code SAI+aa+…}, {@code SI_…}), or
 * {@code Scylla.db}. Sluice does not read it, and sends it with the whole SSTable. Immutable.
 *
 * @param name the last part of the file's name: letters, digits, {@code _} and {@code +}, a dot, and letters or digits;
 *     to 200 characters, and not the name of a {@link Component}
 */
public record AttachedFile(String name) implements Comparable<AttachedFile> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_+]+\\.[A-Za-z0-9]+");
    private static final int MAX_LENGTH = 200;
    private static final List<Component> COMPONENTS = List.of(Component.values());

    /** The suffix of files that are being written. */
    private static final String TEMPORARY = ".tmp";

    private static final String ATTACHED_INDEX = "SAI+";
    private static final String SASI = "SI_";
    /** {@code SAI+aa+users_by_name+ColumnComplete.db}; files shared by all indexes of an SSTable have one part less. */
    private static final int PARTS_OF_AN_INDEX = 4;

    public AttachedFile {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "file '" + name + "' beside an SSTable (expected: letters, digits, _ and +,"
                            + " a dot, letters or digits, at most " + MAX_LENGTH + ", and no component's name)");
        }
    }

    /** Whether this is a valid name of an attached file. */
    public static boolean isName(String name) {
        return name.length() <= MAX_LENGTH
                && !isComponent(name)
                && NAME.matcher(name).matches()
                && !name.endsWith(TEMPORARY);
    }

    /** Ignores case: some file systems do not distinguish it. */
    private static boolean isComponent(String name) {
        if (Component.ofFileName(name).isPresent()) {
            return true; // as nearly all are
        }
        for (Component component : COMPONENTS) {
            if (component.fileName().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** The secondary index of the file; empty if it belongs to none, or to all indexes of the SSTable. */
    public Optional<String> index() {
        if (name.startsWith(SASI)) {
            return Optional.of(name.substring(SASI.length(), name.lastIndexOf('.')));
        }
        String[] parts = name.split("\\+", -1);
        return name.startsWith(ATTACHED_INDEX) && parts.length == PARTS_OF_AN_INDEX
                ? Optional.of(parts[2])
                : Optional.empty();
    }

    /** Whether all indexes of its SSTable that are attached, as it is, need it. */
    public boolean isOfAllIndexes() {
        return isOfAttachedIndex() && index().isEmpty();
    }

    /** Whether it is of an index, or of all, whose files are attached to each SSTable. */
    public boolean isOfAttachedIndex() {
        return name.startsWith(ATTACHED_INDEX);
    }

    @Override
    public int compareTo(AttachedFile other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
