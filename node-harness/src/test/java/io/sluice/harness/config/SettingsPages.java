package io.sluice.harness.config;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The declared settings as {@code conf/sluice.yaml} and the table of docs/operations.md show them. Stateless. */
final class SettingsPages {
    private static final int LINE = 120;

    private static final String HEAD = """
            # Settings of Sluice. Every key is here, with its default; a key that is not written has that default.
            # Names are those of cassandra.yaml where it has one. Amounts carry units: 24MiB/s, 5s. Unknown keys are refused.
            # Made from the declarations in DeclaredOptions and SluiceConfig, as SluiceConfigTest says.

            # ---- Streaming

            """;

    private static final String NODE_HEAD = """

            # ---- Node: read by ./sluice node; ./sluice replace-node gives each of its nodes values of its own.

            """;

    private static final String TABLE_HEAD = """
            | key | default | allowed | changes | meaning |
            | --- | --- | --- | --- | --- |
            """;

    private SettingsPages() {}

    static String yaml() {
        return HEAD + entries(SluiceConfig.STREAMING) + NODE_HEAD + entries(SluiceConfig.NODE);
    }

    private static String entries(List<Setting> settings) {
        return settings.stream().map(SettingsPages::entry).collect(Collectors.joining("\n"));
    }

    private static String entry(Setting setting) {
        String allowed = "Allowed: " + setting.type().expected() + ".";
        String live = setting.isLive() ? " ./sluice set-throughput changes it while the node runs." : "";
        return Stream.of(setting.help(), allowed + live)
                        .flatMap(text -> wrapped(text).stream())
                        .map(line -> "# " + line + "\n")
                        .collect(Collectors.joining())
                + setting.key() + ": " + setting.fallback().orElseThrow() + "\n";
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() + 3 > LINE) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    static String table() {
        return TABLE_HEAD + SluiceConfig.ALL.stream().map(SettingsPages::row).collect(Collectors.joining());
    }

    private static String row(Setting setting) {
        return "| `" + setting.key() + "` | `" + setting.fallback().orElseThrow() + "` | "
                + setting.type().expected() + " | " + (setting.isLive() ? "any time" : "at start") + " | "
                + setting.help().replace("<", "&lt;") + " |\n";
    }
}
