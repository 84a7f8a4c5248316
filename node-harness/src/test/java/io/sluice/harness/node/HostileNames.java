package io.sluice.harness.node;

import java.util.List;

/** Names that no keyspace or table has, and what they would be as a path. Stateless. */
public final class HostileNames {
    /** Upwards, absolute, with separators, too long, look-alikes, invisible, reserved, empty. */
    public static final List<String> ALL = List.of(
            "..",
            ".",
            "",
            " ",
            "../../../x",
            "a/../b",
            "/tmp/x",
            "a/b",
            "a\\b",
            "..\\..\\x",
            "C:",
            "C:\\x",
            "a\0b",
            "a\nb",
            "a\rb",
            "a\u001b[2Jb",
            "a b",
            "a.",
            "a ",
            "a-b",
            ".hidden",
            "x".repeat(300),
            "\u0430dmin", // CYRILLIC SMALL LETTER A
            "us\u202eers",
            "\u2024\u2024", // ONE DOT LEADER
            "\uff0fetc",
            "caf\u00e9",
            "%2e%2e",
            "~",
            "$HOME",
            "nul:");

    private HostileNames() {}
}
