package io.sluice.harness.scenario;

import io.sluice.harness.config.ScenarioFile.Operation;
import java.util.List;

/**
 * What a run is about, in words. Immutable.
 *
 * @param name of the operation, as commands have it
 */
record RunDescription(String name, String doing, String done, String failed) {
    /** The story of an operation; nodes are numbered from 1, in the order in which they come. */
    static RunDescription of(ScenarioOptions options) {
        int nodes = options.shape().nodes();
        String last = "node" + nodes;
        String next = "node" + (nodes + 1);
        return switch (options.operation()) {
            case REPLACE ->
                of(Operation.REPLACE, next, " replaces " + last, " replaced " + last, " failed to replace " + last);
            case BOOTSTRAP -> {
                String who = options.count() == 1 ? next : next + " to node" + (nodes + options.count());
                String join = options.count() == 1 ? " joins" : " join";
                yield of(Operation.BOOTSTRAP, who, join, " joined", " failed to join");
            }
            case REBUILD -> {
                List<String> dcs = options.shape().dcs();
                String who = dcs.size() == 1 ? last : "data centre " + dcs.get(dcs.size() - 1);
                yield of(Operation.REBUILD, who, " is rebuilt", " was rebuilt", " could not be rebuilt");
            }
            case DECOMMISSION -> of(Operation.DECOMMISSION, last, " leaves", " left", " could not leave");
            case REMOVENODE -> of(Operation.REMOVENODE, last, " is removed", " was removed", " could not be removed");
            case MOVE -> of(Operation.MOVE, last, " moves", " moved", " could not move");
            case REPAIR -> of(Operation.REPAIR, last, " is repaired", " was repaired", " could not be repaired");
            case TABLET_MIGRATION ->
                of(
                        Operation.TABLET_MIGRATION,
                        options.count() + " tablets",
                        " migrate to " + last,
                        " migrated to " + last,
                        " could not migrate to " + last);
        };
    }

    private static RunDescription of(Operation operation, String who, String doing, String done, String failed) {
        return new RunDescription(operation.command(), who + doing, who + done, who + failed);
    }
}
