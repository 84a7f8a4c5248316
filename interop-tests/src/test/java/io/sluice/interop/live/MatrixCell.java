package io.sluice.interop.live;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One cell of the matrix: what one writer of a live node made of one table. Immutable.
 *
 * @param kind release and version
 * @param folder {@code <table>-<id>}, with copies of its SSTables
 * @param isDumped whether its dumps are compared
 * @param refusal what Cassandra said instead of making them
 */
record MatrixCell(
        String kind,
        String writer,
        String compression,
        String shape,
        Optional<Path> folder,
        boolean isDumped,
        Optional<String> refusal) {
    /** As in the report. */
    List<String> names() {
        return List.of(kind, writer, compression, shape);
    }

    @Override
    public String toString() {
        return String.join(" | ", names());
    }
}
