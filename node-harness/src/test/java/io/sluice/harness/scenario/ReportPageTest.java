package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.Dashboard;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a real run, in a real browser where there is one. */
class ReportPageTest {
    private static final Path CONF = Path.of("..", "conf", "sluice.yaml");

    @TempDir
    private Path temporary = Path.of("");

    private static Optional<Path> browser() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** What the browser has made of a page, when its script has run. */
    private String drawn(URI page) throws IOException, InterruptedException {
        return Files.readString(browse("--dump-dom", page.toString()));
    }

    /** How bright the page is at its edge, of 255, for a person who prefers dark pages or does not. */
    private int brightness(URI page, boolean isDark) throws IOException, InterruptedException {
        Path picture = temporary.resolve(isDark ? "dark.png" : "light.png");
        browse(
                "--blink-settings=preferredColorScheme=" + (isDark ? 0 : 1),
                "--window-size=1280,900",
                "--screenshot=" + picture,
                page.toString());
        int colour = ImageIO.read(picture.toFile()).getRGB(4, 4);
        return ((colour >> 16 & 0xff) + (colour >> 8 & 0xff) + (colour & 0xff)) / 3;
    }

    private Path browse(String... how) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                browser().orElseThrow().toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--virtual-time-budget=5000",
                "--user-data-dir=" + temporary.resolve("profile")));
        command.addAll(List.of(how));
        Path out = temporary.resolve("browser.out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return out;
    }

    @Test
    @Tag("full")
    void the_page_shows_a_run_without_any_other_file_or_network() throws Exception {
        List<RunReport> told = new ArrayList<>();
        Path page;
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            RunListeners audience = new RunListeners(nowhere, false, () -> {}, told::add);
            RunReport report = ScenarioRun.run(
                    ScenarioOptions.replace(3, 3, new Dataset.Generated(4 << 20)),
                    work,
                    SluiceConfig.read(CONF),
                    audience);
            page = work.page();
            assertThat(report.verified()).isTrue();
        }

        assertThat(Files.readString(page))
                .doesNotContain("src=")
                .doesNotContain("href=")
                .doesNotContain("@import");
        assertThat(told)
                .extracting(RunReport::phase)
                .contains(RunReport.Phase.STREAMING, RunReport.Phase.VERIFYING, RunReport.Phase.ENDED);
        assumeTrue(browser().isPresent(), "no Chromium here: the page was not drawn");
        assertThat(drawn(page.toUri()))
                .contains("data-drawn=\"ended\"")
                .contains("node4 replaced node3")
                .contains("✓ verified")
                .contains("Who sent what to whom")
                .contains("Throughput by source")
                .contains("class=\"rate\"");
        assertThat(brightness(page.toUri(), false)).isGreaterThan(230);
        assertThat(brightness(page.toUri(), true)).isLessThan(40);
        assertLivePage(told);
        assertFaultsAreDrawn(told.get(told.size() - 1));
        assertShareAfterARetry(told.get(told.size() - 1));
    }

    /** As if all had come from one source, 30 of 100 MiB in an attempt that failed, and 20 in the one after it. */
    private void assertShareAfterARetry(RunReport report) throws IOException, InterruptedException {
        ObjectNode changed = Json.MAPPER.valueToTree(report);
        changed.put("phase", "streaming");
        ((ObjectNode) changed.path("transfer")).put("bytes", 50 << 20);
        ObjectNode first = ((ObjectNode) changed.path("sources").get(0)).put("bytesTotal", 100 << 20);
        ArrayNode sources = changed.putArray("sources");
        sources.add(first.deepCopy().put("attempt", 1).put("bytes", 30 << 20).put("bytesResumed", 0));
        sources.add(first.deepCopy().put("attempt", 2).put("bytes", 20 << 20).put("bytesResumed", 30 << 20));
        Path page = temporary.resolve("again.html");
        HtmlReport.write(Json.MAPPER.treeToValue(changed, RunReport.class), page);

        assertThat(drawn(page.toUri())).contains("50 %", "of 100.0 MiB");
    }

    /** The same run, as if node1 had been killed, and as if nobody had sampled it for a while. */
    private void assertFaultsAreDrawn(RunReport report) throws IOException, InterruptedException {
        ObjectNode changed = Json.MAPPER.valueToTree(report);
        ArrayNode samples = changed.putArray("samples");
        for (int tenth = 0; tenth <= 100; tenth++) {
            if (tenth <= 40 || tenth > 70) {
                ObjectNode sample = samples.addObject().put("seconds", tenth / 10.0);
                long received = Math.max(0, tenth - 20) * 1_000_000L; // the first byte comes after two seconds
                sample.putObject("receivedBytes").put("node1", received).put("node2", received);
                sample.putObject("cpuSeconds");
            }
        }
        changed.putArray("marks")
                .addObject()
                .put("seconds", 9.0)
                .put("text", "SIGKILL node1")
                .put("killed", "node1");
        changed.path("sources")
                .forEach(source -> ((ObjectNode) source)
                        .put("state", source.path("node").asText().equals("node1") ? "FAILED" : "COMPLETE"));
        Path page = temporary.resolve("killed.html");
        HtmlReport.write(Json.MAPPER.treeToValue(changed, RunReport.class), page);

        String drawn = drawn(page.toUri());

        assertThat(drawn)
                .contains("source, killed", "class=\"killed\"")
                .as("the end of a bar of a session that failed")
                .contains("class=\"ended\"")
                .as("a line begins at the first byte: two seconds of ten from 50 on, of 578 pixels")
                .contains("d=\"M165.6,");
        assertThat(drawn.split("class=\"rate\"", -1))
                .as("two sources and all together, each before and after the break")
                .hasSize(1 + 3 * 2);
        assertThat(drawn).as("a column without values").doesNotContain(">there before<");
    }

    private void assertLivePage(List<RunReport> told) throws IOException, InterruptedException {
        try (Dashboard dashboard = Dashboard.start(0)) {
            told.stream()
                    .filter(report -> report.phase() == RunReport.Phase.STREAMING)
                    .forEach(dashboard);
            assertThat(drawn(dashboard.address()))
                    .contains("data-drawn=\"streaming\"")
                    .contains("badge busy")
                    .contains("Sessions")
                    .doesNotContain("\u2713 verified");
            dashboard.accept(told.get(told.size() - 1));
            assertThat(drawn(dashboard.address()))
                    .contains("data-drawn=\"ended\"")
                    .contains("\u2713 verified");
        }
    }

    @Test
    void the_dashboard_serves_the_latest_state_to_this_machine_alone() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (Dashboard dashboard = Dashboard.start(0)) {
            HttpResponse<String> early = get(client, dashboard.address().resolve("report.json"));
            HttpResponse<String> live = get(client, dashboard.address());

            assertThat(dashboard.address().getHost()).isEqualTo("127.0.0.1");
            assertThat(early.statusCode()).isEqualTo(503);
            assertThat(live.statusCode()).isEqualTo(200);
            assertThat(live.body()).contains("id=\"report\">null<");
            assertThat(get(client, dashboard.address().resolve("other")).statusCode())
                    .isEqualTo(404);
        }
    }

    private static HttpResponse<String> get(HttpClient client, URI address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    }
}
