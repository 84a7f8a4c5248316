package io.sluice.hook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.security.ProtectionDomain;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The agent: {@code java -javaagent:sluice-cassandra-hook.jar ...}. If it cannot install the hook, it ends the process
 * with an error message: a node that should wait but does not would stream by itself, in parallel with whoever brings
 * its data.
 */
public final class HookAgent {
    private static final String CLASS = CassandraRanges.RANGE_STREAMER.replace('.', '/');
    private static final String METHOD = "fetchAsync";
    private static final ClassPatch.Call CALL = new ClassPatch.Call("io/sluice/hook/Hook", "beforeFetch");
    private static final int EXIT_CODE = 3;

    private HookAgent() {}

    /** Called by the Java VM before the main method. */
    public static void premain(@Nullable String options, Instrumentation instrumentation) {
        String text = options == null ? "" : options;
        try {
            HookOptions.parse(text);
            System.setProperty(HookOptions.PROPERTY, text);
            ClassLoader loader = ClassLoader.getSystemClassLoader();
            byte[] streamer = classFile(loader);
            CassandraRelease.require(loader);
            ClassPatch.before(METHOD, CALL, streamer); // tried now: nobody would see a later failure
            instrumentation.addTransformer(new Transformer());
            CassandraRanges.require(loader);
            ManagementFactory.getPlatformMBeanServer().registerMBean(Hook.instance(), new ObjectName(HookMXBean.NAME));
        } catch (IOException | ReflectiveOperationException | JMException | RuntimeException | LinkageError e) {
            fail(e);
        }
    }

    private static byte[] classFile(ClassLoader loader) throws IOException {
        try (InputStream in = loader.getResourceAsStream(CLASS + ".class")) {
            if (in == null) {
                throw new IOException("no class " + CassandraRanges.RANGE_STREAMER);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes.write(buffer, 0, read);
            }
            return bytes.toByteArray();
        }
    }

    /** Ends the process: nobody reads the log in which an exception would end up during startup. */
    private static void fail(Throwable why) {
        PrintStream console = System.err;
        console.println("sluice hook: cannot hold this node, so it does not start: " + why.getMessage()
                + " (expected: Apache Cassandra 4.0, 4.1 or 5.0; without -javaagent:sluice-cassandra-hook.jar it starts,"
                + " and streams by itself)");
        console.flush();
        Runtime.getRuntime().halt(EXIT_CODE);
    }

    private static final class Transformer implements ClassFileTransformer {
        @Override
        public byte @Nullable [] transform(
                @Nullable ClassLoader loader,
                @Nullable String name,
                @Nullable Class<?> redefined,
                @Nullable ProtectionDomain domain,
                byte[] classFile) {
            if (!CLASS.equals(name)) {
                return null; // unchanged
            }
            try {
                return ClassPatch.before(METHOD, CALL, classFile);
            } catch (IOException | RuntimeException e) {
                fail(e); // the Java VM swallows exceptions of transformers
                return null;
            }
        }
    }
}
