package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A type of a published module that embedders do not see is public only if another package uses it. Main classes are
 * read as class files; tests, and modules that are built later, by what their sources import.
 */
class VisibilityTest {
    private static final Path HOME = Path.of("..");
    private static final List<String> PUBLISHED =
            List.of("sstable-format", "streaming-core", "streaming-netty", "cassandra-bridge");
    private static final Pattern EXPORTED = Pattern.compile("exports ([\\w.]+);");
    private static final Pattern IMPORTED =
            Pattern.compile("import (?:static )?(io\\.sluice\\.[a-z0-9.]+\\.[A-Z]\\w*)");
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.sluice");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(HOME)) {
            return modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(VisibilityTest::tree)
                    .toList();
        }
    }

    private static Stream<Path> tree(Path root) {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<MatchResult> found(Pattern pattern, Path file) {
        try {
            return pattern.matcher(Files.readString(file)).results().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The public top-level types that are for Sluice's own modules alone. */
    private static List<JavaClass> internalTypes() {
        Set<String> exported = PUBLISHED.stream()
                .map(module -> HOME.resolve(module).resolve("src/main/java/module-info.java"))
                .flatMap(file -> found(EXPORTED, file))
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        return ALL.stream()
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !exported.contains(type.getPackageName()) && isPublished(type))
                .toList();
    }

    private static boolean isPublished(JavaClass type) {
        String file = "src/main/java/" + type.getName().replace('.', '/') + ".java";
        return PUBLISHED.stream()
                .anyMatch(module -> Files.exists(HOME.resolve(module).resolve(file)));
    }

    /** Names of the top-level types that a class, or the source of a test, of another package uses. */
    private static Set<String> usedByOtherPackages() throws IOException {
        Set<String> used = new HashSet<>();
        for (JavaClass one : ALL) {
            one.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> !target.getPackageName().equals(one.getPackageName()))
                    .forEach(target -> used.add(topLevel(target.getName())));
        }
        for (Path file : sources()) {
            String folder = file.toString().replaceAll("/[^/]+$", "").replace('/', '.');
            found(IMPORTED, file)
                    .map(match -> match.group(1))
                    .filter(name -> !folder.endsWith(name.substring(0, name.lastIndexOf('.'))))
                    .forEach(used::add);
        }
        return used;
    }

    private static String topLevel(String name) {
        Matcher nested = Pattern.compile("([^$]+)\\$.*").matcher(name);
        return nested.matches() ? nested.group(1) : name;
    }

    /** Also by way of a public subtype, whose callers reach what it inherits. */
    private static boolean isUsed(JavaClass type, Set<String> used) {
        return used.contains(type.getName()) || type.getAllSubclasses().stream().anyMatch(sub -> isUsed(sub, used));
    }

    @Test
    void an_internal_type_is_public_only_if_another_package_uses_it() throws IOException {
        Set<String> used = usedByOtherPackages();
        List<JavaClass> types = internalTypes();

        assertThat(types).hasSizeGreaterThan(150);
        assertThat(types.stream().filter(type -> !isUsed(type, used)).map(JavaClass::getName))
                .containsExactly("io.sluice.streaming.install.DirectoryInUseException"); // a promise of Disk's
    }
}
