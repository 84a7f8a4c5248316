package io.sluice.simulation;

/**
 * Defects that were made on purpose, to see that the simulation finds them: each is one that a careless change of the
 * production code could bring. Most are at the seam between a decision and what is done about it.
 */
public enum Mutant {
    SKIP_DATA_SYNC("received files are not synced before they are acknowledged"),
    SKIP_STAGING_DIRECTORY_SYNC("names in staging are not synced before an acknowledgement"),
    SKIP_LIVE_DIRECTORY_SYNC("names in the live folder are not synced before the database is told"),
    SKIP_COMMIT_SYNC("the commit file is not synced"),
    SKIP_COMMIT_RENAME("the commit file is written in place, not renamed when it is whole"),
    FORGET_COMMIT_FILE("recovery does not look for a commit file"),
    FORGET_LIVE_MARK("that the database has answered is not noted"),
    IGNORE_SYNC_ERROR("a sync that fails counts as done"),
    IGNORE_WRITE_ERROR("a write that fails counts as done"),
    SHORT_WRITE("a write that takes only some bytes counts as all"),
    REUSE_ID("ids of new SSTables begin at the start again after a crash"),
    TRUST_JOURNAL("what a journal claims is not read and checked after a crash"),
    ACKNOWLEDGE_BEFORE_STAGING("an SSTable is acknowledged before it is synced and checked"),
    INSTALL_TOO_EARLY("a table is installed when the first of its sources is done"),
    IGNORE_UNSTAGE("what a failed source had staged becomes live with what its replacement sent"),
    SKIP_CHECKSUM("bytes count as what they should be"),
    SKIP_RANGE_CHECK("SSTables with other partitions than were asked for are accepted"),
    LIE_ABOUT_INSTALL("an install that failed is reported as done"),
    UNPIN_AT_LANDED("a source unpins when an SSTable has landed, not when it is installed"),
    LEAK_PIN("a source keeps what the receiver gave up pinned"),
    LEAK_PIN_ON_FAILURE("a source keeps what it has pinned when its session fails"),
    LEAK_FILE("files of a failed session stay open"),
    LEAK_RESERVATION("room set aside for a failed session is not given back"),
    NO_DEADLINE_AT_SENDER("a source waits for ever"),
    NO_DEADLINE_AT_RECEIVER("a receiver waits for ever"),
    NO_RETRY("the pause before an attempt does not end"),
    SKIP_FENCE("an operation that a newer one has replaced goes on installing"),
    TELL_TWICE("the database is told of an install twice"),
    FORGET_RESUME("sessions that were paused are not told to go on"),
    IGNORE_SCHEMA("the database is not asked whether a set may still become live"),
    KEEP_DROPPED("what has come of a dropped table stays in staging");

    private final String text;

    Mutant(String text) {
        this.text = text;
    }

    /** What is wrong, in words. */
    public String text() {
        return text;
    }
}
