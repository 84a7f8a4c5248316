package io.sluice.sstable.merge;

/**
 * Bytes that are not a row, marker or partition. The reader, which knows file and offset, turns it into a public error.
 */
final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedException(String problem) {
        super(problem);
    }
}
