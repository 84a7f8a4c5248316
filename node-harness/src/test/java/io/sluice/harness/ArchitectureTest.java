package io.sluice.harness;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.EvaluationResult;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.sluice.harness.node.NodeMain;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.log.SystemWords;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The doors of the house open one way only. */
class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.sluice");

    @Test
    void the_format_knows_nobody() {
        classes()
                .that()
                .resideInAPackage("io.sluice.sstable..")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages("io.sluice.streaming..", "io.sluice.netty..", "io.sluice.harness..")
                .check(ALL);
    }

    @Test
    void what_moving_means_knows_no_sockets() {
        noClasses()
                .that()
                .resideInAnyPackage("io.sluice.sstable..", "io.sluice.streaming..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "io.sluice.netty..", "io.sluice.harness..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.net\\..*Socket.*|java\\.nio\\.channels\\..*Socket.*")
                .check(ALL);
    }

    @Test
    void sessions_and_plans_do_no_io_and_read_no_clock() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.sluice.streaming.session..",
                        "io.sluice.streaming.plan..",
                        "io.sluice.streaming.planner..",
                        "io.sluice.streaming.ring..",
                        "io.sluice.cassandra.session..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.(nio\\.file|nio\\.channels|lang\\.Thread|util\\.concurrent\\.Exec|time\\.Clock).*")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(ALL);
    }

    /** What drives sessions sees time, threads, sockets and chance through the seams of the runtime alone. */
    @Test
    void the_engine_reaches_the_world_through_its_seams() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.sluice.streaming.engine..", "io.sluice.streaming.runtime..", "io.sluice.streaming.access..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.(nio\\.channels|time\\.Clock|util\\.Random|util\\.Timer).*"
                        + "|java\\.nio\\.file\\.Files"
                        + "|java\\.util\\.concurrent\\.(Executors|ThreadPool|Scheduled|ForkJoin|ThreadLocalRandom).*")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.util.UUID.class, "randomUUID")
                .orShould()
                .callMethod(Thread.class, "start")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callCodeUnitWhere(STARTS_A_THREAD_OR_A_TIMER)
                .check(ALL);
    }

    @Test
    void the_rule_about_threads_and_timers_sees_what_it_forbids() {
        EvaluationResult result = noClasses()
                .that()
                .haveFullyQualifiedName(NodeMain.class.getName())
                .should()
                .callCodeUnitWhere(STARTS_A_THREAD_OR_A_TIMER)
                .evaluate(ALL);
        assertThat(result.hasViolation()).isTrue();
    }

    private static final DescribedPredicate<JavaAccess<?>> STARTS_A_THREAD_OR_A_TIMER =
            new DescribedPredicate<>("create a thread or use a timer of the JDK") {
                @Override
                public boolean test(JavaAccess<?> access) {
                    return access.getTarget()
                            .getFullName()
                            .matches("java\\.lang\\.Thread\\.<init>.*"
                                    + "|java\\.util\\.concurrent\\.CompletableFuture"
                                    + "\\.(delayedExecutor|orTimeout|completeOnTimeout)\\(.*");
                }
            };

    @Test
    void the_engine_does_not_know_the_harness() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.netty..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sluice.harness..")
                .check(ALL);
    }

    @Test
    void a_node_embeds_the_engine_through_its_public_api() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.harness..")
                .and()
                .resideOutsideOfPackages(
                        "io.sluice.harness.security..", // makes certificates with a tool of Netty's
                        "io.sluice.harness.http..") // reads HTTP by a codec of Netty's
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..",
                        "io.sluice.netty.transport..",
                        "io.sluice.streaming.engine..",
                        "io.sluice.streaming.runtime..",
                        "io.sluice.netty.receive..",
                        "io.sluice.streaming.session..",
                        "io.sluice.streaming.message..")
                .check(ALL);
    }

    @Test
    void the_cassandra_dialect_knows_the_engine_but_not_the_harness() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.cassandra..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sluice.harness..")
                .check(ALL);
        noClasses()
                .that()
                .resideInAnyPackage("io.sluice.sstable..", "io.sluice.streaming..", "io.sluice.netty..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sluice.cassandra..")
                .check(ALL);
    }

    @Test
    void of_the_cassandra_dialect_only_connections_see_netty_and_only_the_ring_sees_the_driver() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.cassandra..")
                .and()
                .resideOutsideOfPackage("io.sluice.cassandra.net..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "io.sluice.netty..")
                .check(ALL);
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.sluice.cassandra.session..",
                        "io.sluice.cassandra.wire..",
                        "io.sluice.cassandra.net..",
                        "io.sluice.cassandra.send..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.datastax..")
                .check(ALL);
    }

    @Test
    void packages_have_no_cycles() {
        slices().matching("io.sluice.cassandra.(*)..").should().beFreeOfCycles().check(ALL);
        slices().matching("io.sluice.streaming.(*)..").should().beFreeOfCycles().check(ALL);
        slices().matching("io.sluice.netty.(*)..").should().beFreeOfCycles().check(ALL);
        slices().matching("io.sluice.harness.(*)..").should().beFreeOfCycles().check(ALL);
        slices().matching("io.sluice.sstable.(*)..").should().beFreeOfCycles().check(ALL);
    }

    /** Receiving and preparing: what is written passes through a disk that counts, watches and may fail. */
    @Test
    void every_byte_and_name_that_streaming_writes_goes_through_its_disk() {
        noClasses()
                .that()
                .resideInAnyPackage("io.sluice.streaming..", "io.sluice.netty..")
                .and()
                .haveNameNotMatching(Pattern.quote(FileSystemDisk.class.getName()) + "(\\$.*)?")
                .and()
                .doNotHaveFullyQualifiedName(SystemWords.class.getName()) // to a device that is always full
                .should()
                .callCodeUnitWhere(WRITES_PAST_THE_DISK)
                .check(ALL);
    }

    @Test
    void the_rule_about_disks_sees_what_it_forbids() {
        for (Class<?> writer : List.of(FileSystemDisk.class, SSTableWriter.class)) {
            EvaluationResult result = noClasses()
                    .that()
                    .haveNameMatching(Pattern.quote(writer.getName()) + "(\\$.*)?")
                    .should()
                    .callCodeUnitWhere(WRITES_PAST_THE_DISK)
                    .evaluate(ALL);
            assertThat(result.hasViolation()).as(writer.getName()).isTrue();
        }
    }

    private static final DescribedPredicate<JavaAccess<?>> WRITES_PAST_THE_DISK =
            new DescribedPredicate<>("write past OutputFiles") {
                @Override
                public boolean test(JavaAccess<?> access) {
                    return writesPastTheDisk((CodeUnitAccessTarget) access.getTarget());
                }
            };

    private static boolean writesPastTheDisk(CodeUnitAccessTarget called) {
        String owner = called.getOwner().getName();
        String name = called.getName();
        if (owner.equals(Files.class.getName())) {
            return name.matches("(write|create|copy|move|delete|set).*|new(OutputStream|BufferedWriter|ByteChannel)");
        }
        if (owner.equals(FileChannel.class.getName())) {
            return name.matches("write|force|truncate|transferFrom|map");
        }
        if (owner.matches("java\\.io\\.(FileOutputStream|FileWriter|RandomAccessFile|PrintWriter)")) {
            return true;
        }
        if (owner.equals(OwnerOnly.class.getName()) || owner.equals(LocalFiles.class.getName())) {
            return true;
        }
        boolean isWriterOfSSTables = called.getOwner().getPackageName().startsWith("io.sluice.sstable")
                && name.matches("create|write|outline|rename");
        List<String> parameters =
                called.getRawParameterTypes().stream().map(JavaClass::getName).toList();
        return isWriterOfSSTables
                && parameters.contains(Path.class.getName())
                && !parameters.contains(OutputFiles.class.getName())
                && !called.getOwner().isAssignableTo(OutputFiles.class);
    }

    @Test
    void nothing_is_deserialized_by_the_name_of_its_class() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.Object(In|Out)putStream|java\\.beans\\.XML.*"
                        + "|org\\.yaml\\.snakeyaml\\.constructor\\.Constructor"
                        + "|com\\.fasterxml\\.jackson\\.databind\\.jsontype\\.(PolymorphicTypeValidator|Basic.*)")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.xml..", "org.xml..", "org.w3c.dom..")
                .check(ALL);
        classes()
                .that(new DescribedPredicate<JavaClass>("read YAML") {
                    @Override
                    public boolean test(JavaClass one) {
                        return one.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Yaml.class)
                                        && call.getName().matches("load.*|compose.*|parse"));
                    }
                })
                .should()
                .dependOnClassesThat()
                .areAssignableTo(SafeConstructor.class)
                .check(ALL);
    }

    @Test
    void kinds_in_json_are_names_from_a_closed_set() {
        classes()
                .that()
                .areAnnotatedWith(JsonTypeInfo.class)
                .should(new ArchCondition<JavaClass>("name their kinds, each of them") {
                    @Override
                    public void check(JavaClass one, ConditionEvents events) {
                        boolean isClosed =
                                one.getAnnotationOfType(JsonTypeInfo.class).use() == JsonTypeInfo.Id.NAME
                                        && one.isAnnotatedWith(JsonSubTypes.class);
                        events.add(new SimpleConditionEvent(one, isClosed, one.getName() + ": " + isClosed));
                    }
                })
                .check(ALL);
        noClasses()
                .should()
                .callMethodWhere(JavaCall.Predicates.target(HasName.Predicates.nameMatching(
                        "(activate|enable)DefaultTyping.*|setDefaultTyping|setPolymorphicTypeValidator")))
                .check(ALL);
    }
}
