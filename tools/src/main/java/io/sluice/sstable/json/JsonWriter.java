package io.sluice.sstable.json;

import java.io.IOException;

/** Writes JSON without building it in memory; inserts commas by itself. Not thread-safe. */
final class JsonWriter {
    private final Appendable out;
    private boolean needsComma;

    JsonWriter(Appendable out) {
        this.out = out;
    }

    JsonWriter beginObject() throws IOException {
        return begin('{');
    }

    JsonWriter endObject() throws IOException {
        return end('}');
    }

    JsonWriter beginArray() throws IOException {
        return begin('[');
    }

    JsonWriter endArray() throws IOException {
        return end(']');
    }

    /** Writes the name of the next value. */
    JsonWriter name(String name) throws IOException {
        comma();
        quote(name);
        out.append(": ");
        needsComma = false;
        return this;
    }

    JsonWriter string(String value) throws IOException {
        comma();
        quote(value);
        needsComma = true;
        return this;
    }

    JsonWriter number(long value) throws IOException {
        return literal(Long.toString(value));
    }

    /** Writes a number, or a string where JSON has no such number. */
    JsonWriter number(double value, String text) throws IOException {
        return Double.isFinite(value) ? literal(text) : string(text);
    }

    JsonWriter bool(boolean value) throws IOException {
        return literal(Boolean.toString(value));
    }

    JsonWriter nothing() throws IOException {
        return literal("null");
    }

    /** Starts a new line, between values. */
    void newLine() throws IOException {
        if (needsComma) {
            out.append(',');
            needsComma = false;
        }
        out.append('\n');
    }

    private JsonWriter begin(char bracket) throws IOException {
        comma();
        out.append(bracket);
        needsComma = false;
        return this;
    }

    private JsonWriter end(char bracket) throws IOException {
        out.append(bracket);
        needsComma = true;
        return this;
    }

    /** Writes a value that is already JSON. */
    JsonWriter raw(CharSequence value) throws IOException {
        return literal(value);
    }

    private JsonWriter literal(CharSequence text) throws IOException {
        comma();
        out.append(text);
        needsComma = true;
        return this;
    }

    private void comma() throws IOException {
        if (needsComma) {
            out.append(", ");
        }
    }

    private void quote(String text) throws IOException {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
