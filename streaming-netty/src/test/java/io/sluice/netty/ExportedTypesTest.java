package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What embedders see: few types, and none whose signatures name one that they do not see. */
class ExportedTypesTest {
    private static final int MOST_TYPES = 35;
    private static final Map<String, Class<?>> MODULES = new TreeMap<>(Map.of(
            "io.sluice.sstable", Token.class,
            "io.sluice.streaming", TableStore.class,
            "io.sluice.netty", StreamingNode.class));

    private record Exported(Set<String> packages, Set<Class<?>> types) {
        boolean contains(Class<?> type) {
            return packages.contains(type.getPackageName());
        }

        List<String> names(boolean nested) {
            return types.stream()
                    .filter(type -> type.isMemberClass() == nested)
                    .map(Class::getName)
                    .sorted()
                    .toList();
        }
    }

    /** All public types of exported packages, nested ones, and what their signatures name. */
    private static Exported exported() throws Exception {
        Set<String> packages = new TreeSet<>();
        Set<Class<?>> types = new TreeSet<>((a, b) -> a.getName().compareTo(b.getName()));
        Deque<Class<?>> left = new ArrayDeque<>();
        for (Map.Entry<String, Class<?>> module : MODULES.entrySet()) {
            ModuleDescriptor descriptor = descriptor(module.getValue());
            assertThat(descriptor.name()).isEqualTo(module.getKey());
            for (ModuleDescriptor.Exports exports : descriptor.exports()) {
                if (!exports.isQualified()) {
                    packages.add(exports.source());
                    left.addAll(publicTypes(module.getValue(), exports.source()));
                }
            }
        }
        while (!left.isEmpty()) {
            Class<?> type = left.remove();
            if (type.getName().startsWith("io.sluice.") && types.add(type)) {
                signatures(type).forEach(left::add);
            }
        }
        return new Exported(packages, types);
    }

    private static ModuleDescriptor descriptor(Class<?> of) throws Exception {
        return inModule(of, root -> {
            try (InputStream bytes = Files.newInputStream(root.resolve("module-info.class"))) {
                return ModuleDescriptor.read(bytes);
            }
        });
    }

    private static List<Class<?>> publicTypes(Class<?> of, String name) throws Exception {
        List<String> names = inModule(of, root -> {
            try (Stream<Path> files = Files.list(root.resolve(name.replace('.', '/')))) {
                return files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                        .map(file -> name + "." + file.substring(0, file.length() - ".class".length()))
                        .toList();
            }
        });
        List<Class<?>> types = new ArrayList<>();
        for (String one : names) {
            Class<?> type = Class.forName(one, false, of.getClassLoader());
            if (isVisible(type)) {
                types.add(type);
            }
        }
        return types;
    }

    private interface Look<T> {
        T at(Path root) throws IOException;
    }

    /** A folder of classes, or a jar. */
    private static <T> T inModule(Class<?> of, Look<T> look) throws IOException, URISyntaxException {
        URI location = of.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(location);
        if (Files.isDirectory(path)) {
            return look.at(path);
        }
        try (FileSystem jar = FileSystems.newFileSystem(path)) {
            return look.at(jar.getPath("/"));
        }
    }

    private static boolean isVisible(Class<?> type) {
        int modifiers = type.getModifiers();
        boolean isOpen = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
        return isOpen && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
    }

    private static boolean isVisible(Member member) {
        return Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers());
    }

    /** What {@code type} says to those who use it. */
    private static Set<Class<?>> signatures(Class<?> type) {
        Set<Class<?>> named = new LinkedHashSet<>();
        add(type.getGenericSuperclass(), named);
        Arrays.stream(type.getGenericInterfaces()).forEach(one -> add(one, named));
        bounds(type.getTypeParameters(), named);
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field)) {
                add(field.getGenericType(), named);
            }
        }
        Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredMethods()), Arrays.stream(type.getDeclaredConstructors()))
                .filter(member -> isVisible(member) && !member.isSynthetic())
                .forEach(member -> {
                    bounds(member.getTypeParameters(), named);
                    Arrays.stream(member.getGenericParameterTypes()).forEach(one -> add(one, named));
                    Arrays.stream(member.getGenericExceptionTypes()).forEach(one -> add(one, named));
                    if (member instanceof Method method) {
                        add(method.getGenericReturnType(), named);
                    }
                    annotations(member, named);
                });
        annotations(type, named);
        Arrays.stream(type.getDeclaredClasses())
                .filter(ExportedTypesTest::isVisible)
                .forEach(named::add);
        if (type.isSealed()) {
            named.addAll(List.of(type.getPermittedSubclasses()));
        }
        return named;
    }

    private static void annotations(AnnotatedElement element, Set<Class<?>> named) {
        Arrays.stream(element.getAnnotations()).forEach(one -> named.add(one.annotationType()));
    }

    private static void bounds(TypeVariable<?>[] variables, Set<Class<?>> named) {
        Arrays.stream(variables)
                .flatMap(variable -> Arrays.stream(variable.getBounds()))
                .forEach(bound -> add(bound, named));
    }

    private static void add(Type type, Set<Class<?>> named) {
        if (type instanceof Class<?> one) {
            named.add(one.isArray() ? element(one) : one);
        } else if (type instanceof ParameterizedType generic) {
            add(generic.getRawType(), named);
            Arrays.stream(generic.getActualTypeArguments()).forEach(one -> add(one, named));
        } else if (type instanceof GenericArrayType array) {
            add(array.getGenericComponentType(), named);
        } else if (type instanceof WildcardType wild) {
            Stream.of(wild.getUpperBounds(), wild.getLowerBounds())
                    .flatMap(Arrays::stream)
                    .forEach(one -> add(one, named));
        }
    }

    private static Class<?> element(Class<?> array) {
        Class<?> type = array;
        while (type.isArray()) {
            type = type.getComponentType();
        }
        return type;
    }

    @Test
    void embedders_see_few_types() throws Exception {
        Exported exported = exported();
        Files.write(
                Files.createDirectories(Path.of("target")).resolve("exported-types.txt"),
                Stream.of(List.of("top-level"), exported.names(false), List.of("", "nested"), exported.names(true))
                        .flatMap(List::stream)
                        .toList());

        assertThat(exported.names(false)).hasSizeBetween(MOST_TYPES / 2, MOST_TYPES);
    }

    @Test
    void no_signature_names_what_they_do_not_see() throws Exception {
        Exported exported = exported();

        assertThat(exported.types()).allSatisfy(type -> {
            assertThat(exported.contains(type)).as(type + " is exported").isTrue();
            assertThat(isVisible(type)).as(type + " is public").isTrue();
        });
    }

    /** A new one is a decision, and not what was left public by chance. */
    @Test
    void the_types_are_those_that_were_decided_on() throws Exception {
        Map<String, String> byPackage = exported().names(false).stream()
                .collect(Collectors.groupingBy(
                        name -> name.substring(0, name.lastIndexOf('.')),
                        TreeMap::new,
                        Collectors.mapping(
                                name -> name.substring(name.lastIndexOf('.') + 1), Collectors.joining(" "))));

        assertThat(byPackage)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "io.sluice.netty", "PeerAccess StreamListener StreamOptions StreamingNode TlsFiles",
                        "io.sluice.netty.metrics", "StreamMeters",
                        "io.sluice.sstable.token", "Token TokenRange TokenRanges",
                        "io.sluice.streaming", "Deadlines ErrorCode Limit RetryPolicy StreamException",
                        "io.sluice.streaming.audit", "AuditEvent",
                        "io.sluice.streaming.plan", "Operation StreamPlan StreamRequest TopologyChange TopologyPlan",
                        "io.sluice.streaming.progress",
                                "PlanResult SendingProgress SessionProgress StreamActivity TransferMode",
                        "io.sluice.streaming.ring", "Address Membership Node Replication Ring",
                        "io.sluice.streaming.store", "Authorizer NodeIdentities PinnedTable TableRef TableStore"));
    }
}
