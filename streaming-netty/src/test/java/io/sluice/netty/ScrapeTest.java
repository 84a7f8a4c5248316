package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.netty.metrics.StreamMeters;
import io.sluice.netty.security.TestAuthority;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the dashboard, the alert rules and the guide say of metrics is what Prometheus gets from two nodes. */
@ExtendWith(LeakCheck.class)
class ScrapeTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final Path DASHBOARD = Path.of("..", "conf", "grafana", "sluice.json");
    private static final Path ALERTS = Path.of("..", "conf", "prometheus", "sluice-alerts.yaml");
    private static final Path GUIDE = Path.of("..", "docs", "operations.md");

    private static final Pattern SAMPLE = Pattern.compile("(?m)^(sluice_\\w+)(?:\\{([^}]*)})? (\\S+)$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Pattern SELECTOR = Pattern.compile("(sluice_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    /** Prometheus adds these. */
    private static final Set<String> OF_THE_SERVER = Set.of("instance", "job");

    @TempDir
    Path temp;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private TwoNodes cluster;

    /** All samples of one name: the values of each label. */
    private record Family(Map<String, Set<String>> labels) {}

    @BeforeEach
    void streamOnceAndFailOnce() throws Exception {
        TestAuthority authority = new TestAuthority(temp.resolve("pki"), "authority");
        cluster = new TwoNodes(
                temp,
                FIXTURE,
                StreamOptions.builder()
                        .tls(authority.node("source", "127.0.0.1"))
                        .build(),
                StreamOptions.builder()
                        .tls(authority.node("target", "127.0.0.1"))
                        .build());
        new StreamMeters(cluster.source, Tags.of("node", "source")).bindTo(registry);
        new StreamMeters(cluster.target, Tags.of("node", "target")).bindTo(registry);
        assertThat(cluster.fetchAll().isComplete()).isTrue();
        cluster.targetStore.isDropping = true;
        StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
        StreamPlan failing = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));
        assertThat(cluster.target.execute(failing).get(30, SECONDS).isComplete())
                .isFalse();
        System.gc(); // meters must outlive what bound them
    }

    @AfterEach
    void close() {
        cluster.close();
        registry.close();
    }

    private double value(String name, String... labels) {
        double sum = 0;
        int found = 0;
        for (Matcher sample = SAMPLE.matcher(registry.scrape()); sample.find(); ) {
            if (sample.group(1).equals(name)
                    && Arrays.stream(labels).allMatch(String.valueOf(sample.group(2))::contains)) {
                sum += Double.parseDouble(sample.group(3));
                found++;
            }
        }
        assertThat(found).as("%s %s", name, List.of(labels)).isPositive();
        return sum;
    }

    private Map<String, Family> families() {
        Map<String, Family> families = new TreeMap<>();
        for (Matcher sample = SAMPLE.matcher(registry.scrape()); sample.find(); ) {
            Family family = families.computeIfAbsent(sample.group(1), name -> new Family(new TreeMap<>()));
            String labels = sample.group(2) == null ? "" : sample.group(2);
            for (Matcher label = LABEL.matcher(labels); label.find(); ) {
                family.labels()
                        .computeIfAbsent(label.group(1), name -> new TreeSet<>())
                        .add(label.group(2));
            }
        }
        return families;
    }

    @Test
    void a_scrape_says_what_has_happened() throws IOException {
        long bytes = 0;
        for (SSTable sstable : cluster.sourceSSTables()) {
            bytes += cluster.streamedBytes(sstable);
        }
        String table = "table=\"" + cluster.table + "\"";

        assertThat(value("sluice_received_bytes_total", "node=\"target\"", table, "mode=\"whole\""))
                .isEqualTo(2.0 * bytes);
        assertThat(value("sluice_sent_bytes_total", "node=\"source\"", table, "mode=\"whole\""))
                .isEqualTo(2.0 * bytes);
        assertThat(value("sluice_plans_seconds_count", "node=\"target\"", "outcome=\"complete\""))
                .isEqualTo(1);
        assertThat(value("sluice_plans_seconds_count", "node=\"target\"", "outcome=\"failed\""))
                .isEqualTo(1);
        assertThat(value("sluice_plans_seconds_sum", "node=\"target\"", "outcome=\"complete\""))
                .isBetween(0.001, 30.0);
        assertThat(value("sluice_plans_seconds_bucket", "node=\"target\"", "outcome=\"complete\"", "le=\"60.0\""))
                .isEqualTo(1);
        assertThat(value("sluice_plans_seconds_bucket", "node=\"target\"", "outcome=\"complete\"", "le=\"+Inf\""))
                .isEqualTo(1);
        assertThat(value("sluice_sessions_seconds_count", "node=\"target\"", "direction=\"in\""))
                .isEqualTo(2);
        assertThat(value("sluice_sessions_seconds_count", "node=\"source\"", "direction=\"out\""))
                .isEqualTo(2);
        assertThat(value("sluice_installs_seconds_count", "node=\"target\"", "outcome=\"complete\""))
                .isEqualTo(1);
        assertThat(value("sluice_failures_total", "node=\"target\"", "scope=\"install\"", "code=\"DISK\""))
                .isEqualTo(1);
        assertThat(value("sluice_failures_total", "node=\"target\"", "scope=\"plan\"", "code=\"DISK\""))
                .isEqualTo(1);
        assertThat(value("sluice_plans_active", "node=\"target\"")).isZero();
        assertThat(value("sluice_sessions_active", "node=\"target\"")).isZero();
        assertThat(value("sluice_running_oldest_seconds", "node=\"target\"")).isZero();
        assertThat(value("sluice_certificate_expires_in_seconds", "node=\"target\""))
                .isPositive();
        assertThat(value("sluice_staging_suspect", "node=\"target\"")).isZero();
    }

    @Test
    void every_metric_of_the_dashboard_is_there() throws IOException {
        Matcher expression = Pattern.compile("\"(?:expr|query)\": \"((?:[^\"\\\\]|\\\\.)*)\"")
                .matcher(Files.readString(DASHBOARD));
        List<String> expressions = new ArrayList<>();
        while (expression.find()) {
            expressions.add(expression.group(1).replace("\\\"", "\""));
        }

        assertThat(expressions).hasSizeGreaterThan(20);
        expressions.forEach(this::assertIsThere);
    }

    @Test
    void the_dashboard_shows_the_room_of_each_volume_and_those_that_failed() throws IOException {
        String dashboard = Files.readString(DASHBOARD);

        assertThat(List.of("free", "reserved", "headroom", "failed"))
                .allSatisfy(meter -> assertThat(dashboard).contains("sluice_volume_" + meter + "{"));
    }

    @Test
    void every_metric_of_the_alert_rules_is_there() throws IOException {
        List<String> rules = List.of(Files.readString(ALERTS).split("- alert: ", -1));

        assertThat(rules).hasSizeGreaterThan(10);
        for (String rule : rules.subList(1, rules.size())) {
            Matcher expression = Pattern.compile("(?s)expr: >-\\n(.*?)\\n        (?:for|labels):")
                    .matcher(rule);
            assertThat(expression.find()).as(rule).isTrue();
            assertIsThere(expression.group(1));
        }
    }

    private void assertIsThere(String expression) {
        Map<String, Family> families = families();
        Set<String> labels = new HashSet<>(OF_THE_SERVER);
        for (Matcher selector = SELECTOR.matcher(expression); selector.find(); ) {
            Family family = families.get(selector.group(1));
            assertThat(family).as("%s of %s", selector.group(1), expression).isNotNull();
            labels.addAll(family.labels().keySet());
            String matchers = selector.group(2) == null ? "" : selector.group(2);
            for (Matcher matcher = MATCHER.matcher(matchers); matcher.find(); ) {
                assertMatches(family, matcher, expression);
            }
        }
        for (Matcher grouping = GROUPING.matcher(expression); grouping.find(); ) {
            assertThat(labels).as(expression).contains(grouping.group(1).split(", ", -1));
        }
    }

    private static void assertMatches(Family family, Matcher matcher, String expression) {
        String label = matcher.group(1);
        String wanted = matcher.group(3);
        if (OF_THE_SERVER.contains(label)) {
            return;
        }
        assertThat(family.labels()).as(expression).containsKey(label);
        if (!wanted.startsWith("$")) { // else it is a variable of the dashboard
            assertThat(family.labels().get(label)).as(expression).contains(wanted.split("\\|", -1));
        }
    }

    @Test
    void the_guide_has_the_buckets_of_each_histogram() throws IOException {
        Matcher buckets = Pattern.compile("Their buckets end at ([^s]+) s,").matcher(Files.readString(GUIDE));
        assertThat(buckets.find()).isTrue();
        List<Double> documented = Arrays.stream(buckets.group(1).split(",\\s*|\\s+and\\s+"))
                .map(Double::valueOf)
                .toList();

        for (String timer : List.of("plans", "sessions", "installs")) {
            Family family = families().get("sluice_" + timer + "_seconds_bucket");
            assertThat(family).as(timer).isNotNull();
            assertThat(family.labels().getOrDefault("le", Set.of()).stream()
                            .filter(end -> !end.equals("+Inf"))
                            .map(Double::valueOf)
                            .sorted())
                    .as(timer)
                    .isEqualTo(documented);
        }
    }

    @Test
    void the_guide_has_every_metric_and_no_other_one() throws IOException {
        UnaryOperator<String> family = name -> name.replaceAll("_(bucket|count|max|sum)$", "");
        Set<String> published = new TreeSet<>();
        families().keySet().forEach(name -> published.add(family.apply(name)));
        Set<String> documented = new TreeSet<>();
        for (Matcher row = Pattern.compile("(?m)^\\| `sluice[^|]*\\| `(sluice_\\w+)`")
                        .matcher(Files.readString(GUIDE));
                row.find(); ) {
            documented.add(row.group(1));
        }

        assertThat(documented).isEqualTo(published);
    }
}
