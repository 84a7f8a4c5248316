package io.sluice.bench.compare;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.HtmlReport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A comparison as a page with pictures, in one file that needs no other and no network. Stateless. */
final class ComparePage {
    private ComparePage() {}

    static void write(CompareResult result, Path file) throws IOException {
        // No text of a result may end the script element that it lies in.
        String json = Json.MAPPER.writeValueAsString(result).replace("<", "\\u003c");
        String page = resource(HtmlReport.class, "page.html")
                .replace("/*STYLE*/", resource(HtmlReport.class, "page.css"))
                .replace("/*SCRIPT*/", resource(ComparePage.class, "compare.js"))
                .replace("/*REPORT*/", json);
        Files.writeString(file, page, StandardCharsets.UTF_8);
    }

    private static String resource(Class<?> beside, String name) throws IOException {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(
                        name + ": not on the class path (expected: beside " + beside.getSimpleName() + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
