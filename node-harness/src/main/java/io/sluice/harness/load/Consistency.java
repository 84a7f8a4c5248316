package io.sluice.harness.load;

/** How many natural replicas must have a write before it is acknowledged, in addition to all pending replicas. */
public enum Consistency {
    /** Any one replica. */
    ONE,
    /** More than half of the replicas. */
    QUORUM;

    int required(int replicas, int pending) {
        return pending
                + switch (this) {
                    case ONE -> 1;
                    case QUORUM -> replicas / 2 + 1;
                };
    }
}
