package io.sluice.tools;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How a virtual machine is started that is like this one. Stateless. */
public final class JavaCommand {
    private JavaCommand() {}

    /** The program {@code java} of this virtual machine. */
    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * The words of a command that runs a class with the class path of this virtual machine. One that was notified at
     * which level to stop to compile, as that of the tests was, hands it on.
     *
     * @param options of the new virtual machine, as {@code -Xmx64m}
     * @param main the name of the class
     * @param arguments of the program, as their texts
     */
    public static List<String> words(List<String> options, String main, Object... arguments) {
        List<String> words = new ArrayList<>();
        words.add(executable());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
                .forEach(words::add);
        words.addAll(options);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        Arrays.stream(arguments).map(Object::toString).forEach(words::add);
        return words;
    }

    /** The process of {@link #words}, not yet started. */
    public static ProcessBuilder process(List<String> options, Class<?> main, Object... arguments) {
        return new ProcessBuilder(words(options, main.getName(), arguments));
    }
}
