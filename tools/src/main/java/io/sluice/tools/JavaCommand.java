package io.sluice.tools;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds commands that start a virtual machine like this one. Stateless. */
public final class JavaCommand {
    /**
     * Beginnings of options: the limit of the compilation level, the archive of classes with its address, and whether
     * Netty declares events of the flight recorder.
     */
    private static final List<String> HANDED_ON = List.of(
            "-XX:TieredStopAtLevel=",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=",
            "-XX:SharedArchiveFile=",
            "-Dio.netty.jfr.enabled=");

    /** Beginnings of options that say that libraries may use native code and Unsafe, without a warning. */
    private static final List<String> OF_LIBRARIES =
            List.of("--enable-native-access=", "--sun-misc-unsafe-memory-access=");

    private static final int JAVA_THAT_WARNS = 24;

    private JavaCommand() {}

    /**
     * Options for a process whose lines are read: Java 24 and newer print warnings among them of libraries that load
     * native code, in modules or not, or use Unsafe.
     */
    public static List<String> withoutWarnings() {
        return Runtime.version().feature() < JAVA_THAT_WARNS
                ? List.of()
                : List.of("--illegal-native-access=allow", "--sun-misc-unsafe-memory-access=allow");
    }

    /**
     * The options of this virtual machine for libraries that use native code or Unsafe. An archive of classes is for
     * those who start with the same ones: others print an error.
     */
    public static List<String> ofLibraries() {
        return ownOptions(OF_LIBRARIES);
    }

    private static List<String> ownOptions(List<String> beginnings) {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> beginnings.stream().anyMatch(argument::startsWith))
                .toList();
    }

    /** Path of this virtual machine's {@code java} executable. */
    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * The words of a command that runs a class with the class path of this virtual machine. Passes on what shortens the
     * start, if this one was started so: the limit of the compilation level, the archive of classes, which is one of a
     * class path, and that Netty has no events for the flight recorder; and which warnings of Java 24 are not wanted.
     *
     * @param options of the new virtual machine, such as {@code -Xmx64m}
     * @param main the name of the class
     * @param arguments of the program, converted to text
     */
    public static List<String> words(List<String> options, String main, Object... arguments) {
        List<String> words = new ArrayList<>();
        words.add(executable());
        words.addAll(ownOptions(HANDED_ON));
        words.addAll(ofLibraries());
        words.addAll(options);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        Arrays.stream(arguments).map(Object::toString).forEach(words::add);
        return words;
    }

    /** The process of {@link #words}, not started yet. */
    public static ProcessBuilder process(List<String> options, Class<?> main, Object... arguments) {
        return new ProcessBuilder(words(options, main.getName(), arguments));
    }
}
