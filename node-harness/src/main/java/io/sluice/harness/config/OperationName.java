package io.sluice.harness.config;

import io.sluice.streaming.plan.Operation;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What an operation is called everywhere: as a command, in scenarios, by {@code plan --operation}, in JSON and on
 * screens. Other names that it had are understood where somebody writes them, and never written.
 */
public enum OperationName {
    BOOTSTRAP("bootstrap"),
    REPLACE("replace-node"),
    REBUILD("rebuild"),
    DECOMMISSION("decommission"),
    REMOVENODE("removenode"),
    MOVE("move"),
    REPAIR("repair"),
    MIGRATE_TABLETS("migrate-tablets"),
    LOAD("load");

    private final String word;

    OperationName(String word) {
        this.word = word;
    }

    /** The name. */
    public String word() {
        return word;
    }

    private List<String> aliases() {
        return switch (this) {
            case REPLACE -> List.of("replace", "replace_node");
            case REMOVENODE -> List.of("remove", "remove-node", "remove_node");
            case MIGRATE_TABLETS -> List.of("migrate_tablets", "tablet-migration", "tablet_migration");
            case LOAD -> List.of("bulkload", "bulk-load", "bulk_load");
            case BOOTSTRAP, REBUILD, DECOMMISSION, MOVE, REPAIR -> List.of();
        };
    }

    /** Whether somebody means this operation by {@code text}, in letters of either case. */
    boolean isMeantBy(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return word.equals(lower) || aliases().contains(lower);
    }

    /** The operation that is meant, by its name or one that it had. */
    public static Optional<OperationName> meantBy(String text) {
        return Arrays.stream(values()).filter(name -> name.isMeantBy(text)).findFirst();
    }

    /** The name of what a stream plan is for. */
    public static OperationName of(Operation operation) {
        return switch (operation) {
            case BOOTSTRAP -> BOOTSTRAP;
            case REPLACE -> REPLACE;
            case REBUILD -> REBUILD;
            case DECOMMISSION -> DECOMMISSION;
            case REMOVE_NODE -> REMOVENODE;
            case MOVE -> MOVE;
            case REPAIR -> REPAIR;
            case TABLET_MIGRATION -> MIGRATE_TABLETS;
            case BULK_LOAD -> LOAD;
        };
    }
}
