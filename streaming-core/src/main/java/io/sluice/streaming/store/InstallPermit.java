package io.sluice.streaming.store;

/** The database's word that a set of SSTables may become live; given back when it is, or when it failed. */
@FunctionalInterface
public interface InstallPermit {
    /** Gives it back; called exactly once, also if it was revoked. */
    void giveBack();

    /**
     * Whether the database has taken it back, as when its own deadline for it has passed. A question, to be answered
     * from memory. Asked directly before the commit point; what is revoked later is the database's to decide when it is
     * told that the set is there.
     */
    default boolean isRevoked() {
        return false;
    }
}
