package io.sluice.streaming.install;

import java.util.UUID;

/** Which set a folder in staging belongs to, by the names of its folders: those of a plan and of a table. Immutable. */
record SetName(String plan, String table) {
    static SetName of(UUID planId, UUID tableId) {
        return new SetName(planId.toString(), tableId.toString());
    }

    @Override
    public String toString() {
        return plan + "/" + table;
    }
}
