package io.sluice.streaming.message;

/**
 * Optional features of a receiver; receivers older than a feature do not have it. Immutable.
 *
 * @param takesAttached whether it accepts attached files, as {@link AttachedFiles}
 * @param buildsIndexes whether its database builds secondary indexes of SSTables that arrive without index files
 * @param fetchesEarly whether it fetches the first offers while the source still prepares others
 */
public record ReceiverFeatures(boolean takesAttached, boolean buildsIndexes, boolean fetchesEarly) {
    /** No features. */
    public static final ReceiverFeatures NONE = new ReceiverFeatures(false, false);

    private static final int ATTACHED = 1;
    private static final int INDEXES = 2;
    private static final int EARLY = 4;

    /** A receiver that fetches nothing before the last page of offers. */
    public ReceiverFeatures(boolean takesAttached, boolean buildsIndexes) {
        this(takesAttached, buildsIndexes, false);
    }

    /** Decodes one bit for each feature; ignores unknown bits. */
    static ReceiverFeatures of(int bits) {
        return new ReceiverFeatures((bits & ATTACHED) != 0, (bits & INDEXES) != 0, (bits & EARLY) != 0);
    }

    int bits() {
        return (takesAttached ? ATTACHED : 0) | (buildsIndexes ? INDEXES : 0) | (fetchesEarly ? EARLY : 0);
    }
}
