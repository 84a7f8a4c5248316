package io.sluice.streaming.install;

import java.util.UUID;

/** The name of a set in staging: the folder names of its plan and its table. Immutable. */
record SetName(String plan, String table) {
    static SetName of(UUID planId, UUID tableId) {
        return new SetName(planId.toString(), tableId.toString());
    }

    @Override
    public String toString() {
        return plan + "/" + table;
    }
}
