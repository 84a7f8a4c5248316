package io.sluice.harness.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.harness.json.Json;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A report as a page with pictures, in one file that needs no other and no network. Stateless. */
public final class HtmlReport {
    private static final String NO_REPORT = "null";

    private HtmlReport() {}

    /** Writes the page of a finished run. */
    public static void write(RunReport report, Path file) throws IOException {
        Files.writeString(file, page(report), StandardCharsets.UTF_8);
    }

    /** Writes the page of a soak. */
    public static void write(SoakPage report, Path file) throws IOException {
        Files.writeString(file, page("soak.js", json(report)), StandardCharsets.UTF_8);
    }

    static String page(RunReport report) throws IOException {
        return page("page.js", json(report));
    }

    /** The page that asks for {@code report.json} beside it, again and again, until the run has ended. */
    static String livePage() throws IOException {
        return page("page.js", NO_REPORT);
    }

    private static String page(String script, String json) throws IOException {
        return resource("page.html")
                .replace("/*STYLE*/", resource("page.css"))
                .replace("/*SCRIPT*/", resource("base.js") + resource(script))
                .replace("/*REPORT*/", json);
    }

    static String json(Object report) throws JsonProcessingException {
        // No text of a report may end the script element that it lies in.
        return Json.MAPPER.writeValueAsString(report).replace("<", "\\u003c");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(name + ": not on the class path (expected: beside HtmlReport)");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
