package io.sluice.simulation.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A defect: a change of one production source file. Immutable.
 *
 * @param name in capitals
 * @param file relative to the root of the project
 * @param breaks the promise that it breaks, as a sentence
 * @param finder which test finds it
 * @param before the text to replace, which occurs once, whatever its spaces and line breaks
 * @param after the replacement
 */
public record SourceMutant(String name, String file, String breaks, Finder finder, String before, String after) {
    private static final String LIST = "mutants.txt";

    /** What finds a defect. */
    public sealed interface Finder {
        /** Some seed of the simulation finds it. */
        record BySimulation() implements Finder {}

        /**
         * A unit test of the same module, or of the simulation, finds it; no seed reaches it.
         *
         * @param testClass its binary name
         * @param method without parameters
         */
        record ByTest(String testClass, String method) implements Finder {}
    }

    /** All mutants, in the order of the list. */
    public static List<SourceMutant> all() throws IOException {
        try (InputStream in = Objects.requireNonNull(SourceMutant.class.getResourceAsStream(LIST), LIST)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Parses the blocks of a list, whose first lines describe the format. */
    static List<SourceMutant> parse(String text) {
        List<SourceMutant> mutants = new ArrayList<>();
        for (String block : text.split("\n\\s*\n", -1)) {
            List<String> lines = block.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
            if (!lines.isEmpty()) {
                mutants.add(new SourceMutant(
                        lines.get(0),
                        one(lines, "in"),
                        one(lines, "breaks"),
                        finder(one(lines, "found by")),
                        all(lines, "-"),
                        all(lines, "+")));
            }
        }
        return mutants;
    }

    private static String all(List<String> lines, String word) {
        return lines.stream()
                .filter(line -> line.equals(word) || line.startsWith(word + " "))
                .map(line -> line.substring(word.length()).strip())
                .collect(Collectors.joining("\n"));
    }

    private static String one(List<String> lines, String word) {
        String value = all(lines, word);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    LIST + ": " + lines.get(0) + ": no line '" + word + " ...' (expected: one)");
        }
        return value;
    }

    private static Finder finder(String words) {
        if (words.equals("simulation")) {
            return new Finder.BySimulation();
        }
        int dot = words.lastIndexOf('.');
        return new Finder.ByTest(words.substring(0, dot), words.substring(dot + 1));
    }

    /**
     * The source with the defect applied.
     *
     * @param home the root of the project
     * @throws IOException if the file cannot be read
     * @throws IllegalStateException if the text to replace does not occur exactly once: the source has changed, and the
     *     list must follow
     */
    public String mutated(Path home) throws IOException {
        String source = Files.readString(home.resolve(file));
        String pattern = before.chars()
                .filter(c -> !Character.isWhitespace(c))
                .mapToObj(c -> Pattern.quote(Character.toString(c)))
                .collect(Collectors.joining("\\s*"));
        Matcher matcher = Pattern.compile(pattern).matcher(source);
        long found = matcher.results().count();
        if (found != 1) {
            throw new IllegalStateException(name + ": the text to replace occurs " + found + " times in " + file
                    + " (expected: once); change " + LIST + " as the source has changed:\n" + before);
        }
        return matcher.reset().replaceFirst(Matcher.quoteReplacement(after));
    }

    /** The folder of the module that it changes. */
    String module() {
        return file.substring(0, file.indexOf('/'));
    }

    /** The binary name of the class that it changes. */
    String className() {
        String path = file.substring(file.indexOf("src/main/java/") + "src/main/java/".length());
        return path.substring(0, path.length() - ".java".length()).replace('/', '.');
    }
}
