package io.sluice.harness.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of all commands, in the macros of man(7), made from what their help is made from. Stateless. */
final class ManPage {
    private static final String STANDARD = "--help";

    private ManPage() {}

    /** The page of a command line with all that it has below it. */
    static String of(CommandSpec sluice) {
        StringBuilder page = new StringBuilder();
        page.append(".TH SLUICE 1 \"\" \"").append(text(sluice.version()[0])).append("\" \"Sluice\"\n");
        page.append(".SH NAME\nsluice \\- streams SSTables between nodes\n");
        page.append(".SH SYNOPSIS\n.B sluice\n.I COMMAND\n[\\fIOPTIONS\\fR]\n");
        page.append(".SH DESCRIPTION\n");
        paragraphs(sluice.usageMessage().description(), page);
        page.append("Each command knows \\fB\\-\\-help\\fR. Words in capitals are to be replaced.\n");
        for (Commands.Group group : Commands.Group.values()) {
            page.append(".SH ")
                    .append(text(group.heading()).toUpperCase(Locale.ROOT))
                    .append('\n');
            page.append("For example:\n.PP\n.EX\n    ")
                    .append(text(group.example()))
                    .append("\n.EE\n");
            Commands.ALL.stream()
                    .filter(named -> named.group() == group)
                    .forEach(named -> command(
                            Objects.requireNonNull(sluice.subcommands().get(named.name()))
                                    .getCommandSpec(),
                            page));
        }
        page.append(".SH EXIT STATUS\n");
        sluice.usageMessage().exitCodeList().forEach((code, meaning) -> item(code.strip(), meaning, page));
        return page.toString();
    }

    private static void command(CommandSpec command, StringBuilder page) {
        page.append(".SS ").append(text(command.qualifiedName())).append('\n');
        paragraphs(command.usageMessage().description(), page);
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            argument(parameter.paramLabel(), parameter, page);
        }
        for (OptionSpec option : command.options()) {
            if (!option.hidden() && !List.of(option.names()).contains(STANDARD) && !option.versionHelp()) {
                String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
                argument(String.join(", ", option.names()) + label, option, page);
            }
        }
        paragraphs(command.usageMessage().footer(), page);
        for (Map.Entry<String, CommandLine> below : command.subcommands().entrySet()) {
            if (!below.getKey().equals("help")) {
                command(below.getValue().getCommandSpec(), page);
            }
        }
    }

    private static void argument(String name, ArgSpec argument, StringBuilder page) {
        if (!argument.hidden()) {
            item(
                    name,
                    String.join(" ", argument.description())
                            .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue())),
                    page);
        }
    }

    private static void item(String name, String meaning, StringBuilder page) {
        page.append(".TP\n\\fB")
                .append(text(name))
                .append("\\fR\n")
                .append(text(meaning))
                .append('\n');
    }

    /** Lines that begin with blanks, as examples do, stay as they are. */
    private static void paragraphs(String[] lines, StringBuilder page) {
        for (String line : lines) {
            if (line.isBlank()) {
                page.append(".PP\n");
            } else if (line.startsWith(" ")) {
                page.append(".EX\n").append(text(line)).append("\n.EE\n");
            } else {
                page.append(text(line)).append('\n');
            }
        }
        page.append(".PP\n");
    }

    /**
     * Of characters that mean something to man: backslash, hyphens that are to be copied, and points at a beginning.
     */
    private static String text(String plain) {
        String escaped = String.format(plain.replace("%,", "%%,").replace("% ", "%% "))
                .replace("\\", "\\e")
                .replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
