package io.sluice.sstable.merge;

/** Bytes that are no row, marker or partition; the reader, who knows file and offset, makes the public error of it. */
final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedException(String problem) {
        super(problem);
    }
}
