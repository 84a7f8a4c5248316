package io.sluice.streaming.access;

import io.sluice.sstable.component.Printable;
import io.sluice.streaming.audit.AuditEvent;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each audit event as one line of the logger {@value #LOGGER}: {@code event=connection-refused address=10.0.0.7
 * result=PROTOCOL reason="not one Hello"}. A value is put in double quotes if it contains anything but letters, digits
 * and a few punctuation characters; quotes, backslashes and control characters in it are escaped. Thread-safe.
 */
public final class AuditLog implements AuditListener {
    /** The name of the logger. */
    public static final String LOGGER = "io.sluice.audit";

    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:/%";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    /** Formats an event as one line. */
    public static String line(AuditEvent event) {
        StringBuilder line = new StringBuilder("event=").append(event.kind());
        for (Map.Entry<String, String> field : event.fields().entrySet()) {
            line.append(' ').append(field.getKey()).append('=').append(value(field.getValue()));
        }
        return line.toString();
    }

    private static String value(String text) {
        boolean isPlain = !text.isEmpty() && text.chars().allMatch(AuditLog::isPlain);
        return isPlain && text.length() <= Printable.MAX_LENGTH
                ? text
                : '"' + Printable.text(text.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
    }

    private static boolean isPlain(int letter) {
        return PLAIN.indexOf(letter) >= 0;
    }

    @Override
    public void on(AuditEvent event) {
        LOG.info("{}", line(event));
    }
}
