package io.sluice.simulation.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Loads all classes of Sluice again, with the defect of one {@link SourceMutant}; classes of this loader see only each
 * other. Thread-safe.
 */
public final class MutantClasses extends ClassLoader {
    private static final String HOUSE = "io.sluice.";

    private final SourceMutant mutant;
    private final Map<String, byte[]> changed;
    private final Path tests;

    private MutantClasses(SourceMutant mutant, Map<String, byte[]> changed, Path home) {
        super(MutantClasses.class.getClassLoader());
        this.mutant = mutant;
        this.changed = Map.copyOf(changed);
        this.tests = home.resolve(mutant.module()).resolve("target/test-classes");
    }

    /**
     * Compiles the defect.
     *
     * @param home the root of the project, with its sources
     * @throws IOException if the source cannot be read
     * @throws IllegalStateException if the mutant does not fit the source, or does not compile, or if this is not a JDK
     */
    public static MutantClasses of(SourceMutant mutant, Path home) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("no Java compiler (expected: a JDK, not a JRE): mutants are compiled");
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null);
                InMemory memory = new InMemory(files)) {
            JavaFileObject source = new Source(mutant.className(), mutant.mutated(home));
            boolean isCompiled = compiler.getTask(
                            null,
                            memory,
                            said,
                            List.of("-proc:none", "-nowarn", "-classpath", System.getProperty("java.class.path")),
                            null,
                            List.of(source))
                    .call();
            if (!isCompiled) {
                throw new IllegalStateException(mutant.name() + " does not compile: "
                        + said.getDiagnostics().stream()
                                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                                .toList());
            }
            return new MutantClasses(mutant, memory.classes(), home);
        }
    }

    /** Loads the unchanged classes, with the tests of the module that a mutant would change. */
    static MutantClasses unchanged(SourceMutant mutant, Path home) {
        return new MutantClasses(mutant, Map.of(), home);
    }

    /**
     * Runs the simulation with the defect, for a defect of the Cassandra dialect that of its sessions: takes a seed,
     * returns what it breaks, if anything.
     */
    @SuppressWarnings("unchecked") // a class of this project, from another loader
    public LongFunction<Optional<String>> simulation() {
        return (LongFunction<Optional<String>>) instance(
                mutant.module().equals("cassandra-bridge")
                        ? "io.sluice.simulation.cassandra.DialectSeedRun"
                        : "io.sluice.simulation.SeedRun");
    }

    /** Repeats a failing seed with as few kinds of faults as possible: returns the lines of its trace. */
    @SuppressWarnings("unchecked") // a class of this project, from another loader
    public LongFunction<List<String>> shrunk() {
        return (LongFunction<List<String>>) instance("io.sluice.simulation.ShrunkRun");
    }

    private Object instance(String name) {
        try {
            return loadClass(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot load the simulation again", e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(HOUSE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            byte[] bytes = bytes(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
        byte[] mutated = changed.get(name);
        if (mutated != null) {
            return mutated;
        }
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = getParent().getResourceAsStream(file)) {
            return in == null ? Files.readAllBytes(tests.resolve(file)) : in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** A source file in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps the compiler's output in memory. */
    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> made = new HashMap<>();

        InMemory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + className.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return made.computeIfAbsent(className, name -> new ByteArrayOutputStream());
                }
            };
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new HashMap<>();
            made.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }
    }
}
