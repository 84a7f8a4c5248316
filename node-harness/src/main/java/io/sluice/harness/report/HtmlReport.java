package io.sluice.harness.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.common.io.Resources;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A report as a page with pictures, in one file that needs no other and no network. Stateless. */
public final class HtmlReport {
    private static final String NO_REPORT = "null";

    private HtmlReport() {}

    /** Writes the page of a finished run. */
    public static void write(RunReport report, Path file) throws IOException {
        Files.writeString(file, page(report));
    }

    /** Writes the page of a soak. */
    public static void write(SoakPage report, Path file) throws IOException {
        Files.writeString(file, page("soak.js", json(report)));
    }

    /** Writes the page of two runs beside each other. */
    public static void write(ReportDiff report, Path file) throws IOException {
        Files.writeString(file, page("diff.js", json(report)));
    }

    static String page(RunReport report) throws IOException {
        return page("page.js", json(report));
    }

    /** The page that asks for {@code report.json} beside it, again and again, until the run has ended. */
    static String livePage() throws IOException {
        return page("page.js", NO_REPORT);
    }

    private static String page(String script, String json) throws IOException {
        return filled(
                text(HtmlReport.class, "base.js")
                        + text(HtmlReport.class, "charts.js")
                        + text(HtmlReport.class, script),
                json);
    }

    /**
     * A page that shows {@code report} by a script of its own, which may use what all pages draw with.
     *
     * @param script lies beside {@code owner}
     */
    public static String page(Class<?> owner, String script, Object report) throws IOException {
        return filled(
                text(HtmlReport.class, "base.js") + text(HtmlReport.class, "charts.js") + text(owner, script),
                json(report));
    }

    private static String filled(String script, String json) throws IOException {
        return text(HtmlReport.class, "page.html")
                .replace("/*STYLE*/", text(HtmlReport.class, "page.css"))
                .replace("/*SCRIPT*/", script)
                .replace("/*REPORT*/", json);
    }

    static String json(Object report) throws JsonProcessingException {
        // No text of a report may end the script element that it lies in.
        return Json.MAPPER.writeValueAsString(report).replace("<", "\\u003c");
    }

    private static String text(Class<?> owner, String name) throws IOException {
        return Resources.toString(Resources.getResource(owner, name), StandardCharsets.UTF_8);
    }
}
