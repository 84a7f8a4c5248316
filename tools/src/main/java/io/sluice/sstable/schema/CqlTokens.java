package io.sluice.sstable.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/**
 * CQL as a sequence of tokens: words in lower case, quoted names and strings with their quotes, numbers, UUIDs,
 * punctuation.
 */
final class CqlTokens {
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final int UUID_LENGTH = 36;
    private static final String END = "";

    private record Token(String text, int offset) {}

    private final String cql;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    /** @throws SchemaException if a comment or a quoted text is not terminated */
    CqlTokens(String cql) throws SchemaException {
        this.cql = cql;
        for (int start = 0, end; start < cql.length(); start = end) {
            end = endOfToken(start);
            char first = cql.charAt(start);
            boolean isQuoted = first == '"' || first == '\'';
            if (!Character.isWhitespace(first) && !isComment(start)) {
                String text = cql.substring(start, end);
                tokens.add(new Token(isQuoted ? text : text.toLowerCase(Locale.ROOT), start));
            }
        }
        tokens.add(new Token(END, cql.length()));
    }

    private boolean isComment(int start) {
        return cql.startsWith("--", start) || cql.startsWith("//", start) || cql.startsWith("/*", start);
    }

    /** A hand-written scanner: on hostile input a regular expression overflows the stack or takes quadratic time. */
    private int endOfToken(int start) throws SchemaException {
        char first = cql.charAt(start);
        if (Character.isWhitespace(first)) {
            return endOfRun(start, Character::isWhitespace);
        }
        if (cql.startsWith("--", start) || cql.startsWith("//", start)) {
            return endOfRun(start, c -> c != '\n');
        }
        if (cql.startsWith("/*", start)) {
            return after("*/", start + 2, start);
        }
        if (first == '"') {
            return after("\"", start + 1, start);
        }
        if (first == '\'') {
            int end = after("'", start + 1, start);
            while (end < cql.length() && cql.charAt(end) == '\'') { // two quotes stand for one
                end = after("'", end + 1, start);
            }
            return end;
        }
        if (cql.length() - start >= UUID_LENGTH
                && UUID.matcher(cql).region(start, start + UUID_LENGTH).matches()) {
            return start + UUID_LENGTH;
        }
        boolean isSign = first == '-' || first == '+';
        if (isDigit(first) || (isSign && start + 1 < cql.length() && isDigit(cql.charAt(start + 1)))) {
            return endOfRun(start + 1, CqlTokens::isDigit);
        }
        return isWordPart(first) ? endOfRun(start, CqlTokens::isWordPart) : start + 1;
    }

    private int endOfRun(int start, IntPredicate isPart) {
        int end = start;
        while (end < cql.length() && isPart.test(cql.charAt(end))) {
            end++;
        }
        return end;
    }

    private int after(String closing, int from, int start) throws SchemaException {
        int at = cql.indexOf(closing, from);
        if (at < 0) {
            throw new SchemaException("CQL at character " + start + ": unterminated (expected: " + closing + ")");
        }
        return at + closing.length();
    }

    private static boolean isDigit(int c) {
        return (c >= '0' && c <= '9') || c == '.';
    }

    private static boolean isWordPart(int c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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

    /** Consumes these tokens if they come next; returns whether they did. */
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

    /** Consumes a name: a word, or anything in double quotes. */
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

    /** Consumes a number or a string, without its quotes. */
    String literal() throws SchemaException {
        String text = next();
        return text.startsWith("'") ? text.substring(1, text.length() - 1).replace("''", "'") : text;
    }

    /** Skips everything up to the end of the statement. */
    void skipStatement() {
        while (!isAtEnd() && !skip(";")) {
            at++;
        }
    }

    SchemaException unexpected(String expected) {
        return new SchemaException("CQL at character " + tokens.get(at).offset() + ": "
                + (isAtEnd() ? "end of input" : peek()) + " (expected: " + expected + ")");
    }
}
