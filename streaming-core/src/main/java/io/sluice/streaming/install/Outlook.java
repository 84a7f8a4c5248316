package io.sluice.streaming.install;

/** What becomes of a table whose install has failed. */
public enum Outlook {
    /** It is not committed, and does not go live. */
    NOT_COMMITTED(""),
    /** The disk does not say whether it is committed. */
    MAY_BE_COMMITTED("; the table may be committed, which is decided when this node restarts"),
    /** It is committed, and the database has not answered. */
    GOES_LIVE("; the table is committed and goes live when this node restarts"),
    /** The database has made it live; only what follows has failed. */
    IS_LIVE("; the table is live, and its install is completed when this node restarts"),
    /** The database has refused it; only what follows has failed. */
    IS_REFUSED("; the database has refused the table, and its files are removed when this node restarts");

    private final String words;

    Outlook(String words) {
        this.words = words;
    }

    /** Whether another attempt, or recovery, may complete the install: then nothing of the set must be removed. */
    public boolean isCommitted() {
        return this != NOT_COMMITTED;
    }

    /** The end of the sentence that says why the install failed; empty if it is not committed. */
    public String words() {
        return words;
    }
}
