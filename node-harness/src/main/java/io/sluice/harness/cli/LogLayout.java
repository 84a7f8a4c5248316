package io.sluice.harness.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.LayoutBase;
import io.sluice.sstable.component.Printable;
import io.sluice.streaming.access.AuditLog;
import io.sluice.streaming.log.LogKeys;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event, one line, then the stack trace if there is one, whatever its message holds: it may be what a peer has
 * said. Thread-safe.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS").withZone(ZoneId.systemDefault());
    private static final int MAX_CAUSES = 20;
    private static final List<String> KEYS = List.of(LogKeys.PLAN, LogKeys.PEER, LogKeys.TABLE);

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        StringBuilder text = new StringBuilder(TIME.format(event.getInstant()))
                .append(String.format(" %-5s [", event.getLevel()))
                .append(event.getThreadName())
                .append("] ")
                .append(logger, logger.lastIndexOf('.') + 1, logger.length())
                .append(' ')
                .append(keys(event.getMDCPropertyMap()))
                .append(message(logger, event.getFormattedMessage()))
                .append('\n');
        IThrowableProxy cause = event.getThrowableProxy();
        for (int causes = 0; cause != null && causes < MAX_CAUSES; causes++) {
            append(cause, causes == 0 ? "" : "Caused by: ", text);
            for (IThrowableProxy suppressed : suppressed(cause)) {
                append(suppressed, "Suppressed: ", text);
            }
            cause = cause.getCause();
        }
        return text.toString();
    }

    /** The values in an audit event are truncated already, and truncating the line would lose others. */
    private static String message(String logger, String text) {
        return logger.equals(AuditLog.LOGGER) ? Printable.whole(text) : Printable.text(text);
    }

    /** What the line is about, in this order. */
    private static String keys(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        for (String key : KEYS) {
            String value = values.get(key);
            if (value != null) {
                text.append(key).append('=').append(Printable.text(value)).append(' ');
            }
        }
        return text.toString();
    }

    private static IThrowableProxy[] suppressed(IThrowableProxy thrown) {
        IThrowableProxy @Nullable [] suppressed = thrown.getSuppressed();
        return suppressed == null ? new IThrowableProxy[0] : suppressed;
    }

    private static void append(IThrowableProxy thrown, String before, StringBuilder text) {
        text.append(before)
                .append(thrown.getClassName())
                .append(": ")
                .append(Printable.text(String.valueOf(thrown.getMessage())))
                .append('\n');
        StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
        for (int i = 0; i < frames.length - thrown.getCommonFrames(); i++) {
            text.append('\t').append(frames[i].getSTEAsString()).append('\n');
        }
    }
}
