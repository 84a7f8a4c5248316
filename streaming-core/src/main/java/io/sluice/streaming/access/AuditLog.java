package io.sluice.streaming.access;

import io.sluice.sstable.component.Printable;
import io.sluice.streaming.audit.AuditEvent;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each audit event as one line of the logger {@value #LOGGER}: {@code event=connection-refused address=10.0.0.7
 * result=PROTOCOL reason="not one Hello"}. A value is put in double quotes if it contains anything but letters, digits
 * and a few punctuation characters; quotes, backslashes and control characters in it are escaped. A value of more than
 * {@value Printable#MAX_LENGTH} characters is truncated, except in {@link AuditEvent.PlanOpened}. Thread-safe.
 */
public final class AuditLog implements AuditListener {
    /** The name of the logger. */
    public static final String LOGGER = "io.sluice.audit";

    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:/%";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    /** Formats an event as one line. */
    public static String line(AuditEvent event) {
        // What a peer sends is truncated; the tables and sources of a plan come from this node, and all of them count.
        UnaryOperator<String> escaping = event instanceof AuditEvent.PlanOpened ? Printable::whole : Printable::text;
        StringBuilder line = new StringBuilder("event=").append(event.kind());
        for (Map.Entry<String, String> field : event.fields().entrySet()) {
            line.append(' ').append(field.getKey()).append('=').append(value(field.getValue(), escaping));
        }
        return line.toString();
    }

    private static String value(String text, UnaryOperator<String> escaping) {
        String escaped = escaping.apply(text.replace("\\", "\\\\").replace("\"", "\\\""));
        return !text.isEmpty() && escaped.chars().allMatch(AuditLog::isPlain) ? escaped : '"' + escaped + '"';
    }

    private static boolean isPlain(int letter) {
        return PLAIN.indexOf(letter) >= 0;
    }

    @Override
    public void on(AuditEvent event) {
        LOG.info("{}", line(event));
    }
}
