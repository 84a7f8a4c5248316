package io.sluice.harness.load;

/** How many replicas must have a write before it is acknowledged; all that are pending must, on top. */
public enum Consistency {
    /** Any one. */
    ONE,
    /** More than half. */
    QUORUM;

    int required(int replicas, int pending) {
        return pending
                + switch (this) {
                    case ONE -> 1;
                    case QUORUM -> replicas / 2 + 1;
                };
    }
}
