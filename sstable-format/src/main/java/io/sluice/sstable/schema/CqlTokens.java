package io.sluice.sstable.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * CQL as a row of tokens: words in lower case, quoted names and strings with their quotes, numbers, UUIDs, punctuation.
 */
final class CqlTokens {
    private static final Pattern TOKEN = Pattern.compile(
            "\\s+|--[^\\n]*|//[^\\n]*|/\\*.*?\\*/|\"[^\"]*\"|'(?:[^']++|'')*+'|"
                    + "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[-+]?[0-9.]+|\\w+|.",
            Pattern.DOTALL);
    private static final String END = "";

    private record Token(String text, int offset) {}

    private final List<Token> tokens = new ArrayList<>();
    private int at;

    CqlTokens(String cql) {
        Matcher matcher = TOKEN.matcher(cql);
        while (matcher.find()) {
            String text = matcher.group();
            boolean isBlank = text.isBlank() || text.startsWith("--") || text.startsWith("//") || text.startsWith("/*");
            if (!isBlank) {
                boolean isQuoted = text.startsWith("\"") || text.startsWith("'");
                tokens.add(new Token(isQuoted ? text : text.toLowerCase(Locale.ROOT), matcher.start()));
            }
        }
        tokens.add(new Token(END, cql.length()));
    }

    boolean isAtEnd() {
        return peek().isEmpty();
    }

    String peek() {
        return tokens.get(at).text();
    }

    String next() throws SchemaException {
        if (isAtEnd()) {
            throw unexpected("more");
        }
        return tokens.get(at++).text();
    }

    /** Takes these tokens if they come next. */
    boolean skip(String... wanted) {
        for (int i = 0; i < wanted.length; i++) {
            if (at + i >= tokens.size() || !tokens.get(at + i).text().equals(wanted[i])) {
                return false;
            }
        }
        at += wanted.length;
        return true;
    }

    void expect(String... wanted) throws SchemaException {
        if (!skip(wanted)) {
            throw unexpected(String.join(" ", wanted).toUpperCase(Locale.ROOT));
        }
    }

    /** A name: a word, or anything in double quotes. */
    String name() throws SchemaException {
        String text = next();
        if (text.startsWith("\"")) {
            return text.substring(1, text.length() - 1);
        }
        if (!text.matches("\\w+")) {
            at--;
            throw unexpected("a name");
        }
        return text;
    }

    /** A number or a string, without its quotes. */
    String literal() throws SchemaException {
        String text = next();
        return text.startsWith("'") ? text.substring(1, text.length() - 1).replace("''", "'") : text;
    }

    /** Passes over everything up to the end of the statement. */
    void skipStatement() {
        while (!isAtEnd() && !skip(";")) {
            at++;
        }
    }

    SchemaException unexpected(String expected) {
        return new SchemaException("CQL at character " + tokens.get(at).offset() + ": "
                + (isAtEnd() ? "the end" : peek()) + " (expected: " + expected + ")");
    }
}
