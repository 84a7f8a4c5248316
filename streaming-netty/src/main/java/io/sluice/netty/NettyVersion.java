package io.sluice.netty;

import io.netty.util.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses a Netty on which the libraries cannot run, before a class of it is needed: the first one that lacks something
 * would say {@code NoClassDefFoundError}, somewhere. Stateless.
 */
final class NettyVersion {
    private static final int OLDEST_PATCH_OF_4_1 = 96;
    private static final String EXPECTED = "Sluice needs Netty 4.1." + OLDEST_PATCH_OF_4_1
            + " or newer, of 4.1 or 4.2, all of one version; netty-bom in dependencyManagement chooses it";

    /** A class of each artifact that is needed. What is relocated with this library is relocated here, too. */
    private static final Map<String, String> NEEDED = Map.of(
            "netty-common", "io.netty.util.Version",
            "netty-buffer", "io.netty.buffer.ByteBuf",
            "netty-transport", "io.netty.channel.Channel",
            "netty-codec", "io.netty.handler.codec.ByteToMessageDecoder",
            "netty-handler", "io.netty.handler.ssl.SslHandler",
            "netty-transport-native-unix-common", "io.netty.channel.unix.Errors",
            "netty-transport-classes-epoll", "io.netty.channel.epoll.Epoll");

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6})(\\D.*)?");

    private NettyVersion() {}

    /**
     * Looks at the Netty that this class sees.
     *
     * @throws IllegalStateException if it is missing, too old, or of two lines; names what was found and what is needed
     */
    static void require() {
        Map<String, Optional<String>> found = new TreeMap<>();
        NEEDED.forEach((artifact, type) -> find(type).ifPresent(kind -> found.put(artifact, version(artifact, kind))));
        refusal(found).ifPresent(why -> {
            throw new IllegalStateException(why);
        });
    }

    private static Optional<Class<?>> find(String type) {
        try {
            return Optional.of(Class.forName(type, false, NettyVersion.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError missing) {
            return Optional.empty();
        }
    }

    /** As its own jar says; else, where jars were merged or are modules, as any resource says. */
    private static Optional<String> version(String artifact, Class<?> kind) {
        if (kind.getPackageName().startsWith("io.sluice.")) {
            return Optional.empty(); // came with this library, which knows what it needs
        }
        Package jar = kind.getPackage();
        String title = jar.getImplementationTitle();
        if (title != null && title.startsWith("Netty")) {
            return Optional.ofNullable(jar.getImplementationVersion());
        }
        return Optional.ofNullable(
                        Version.identify(NettyVersion.class.getClassLoader()).get(artifact))
                .map(Version::artifactVersion);
    }

    /**
     * Why the libraries cannot run on a Netty; empty if they can.
     *
     * @param found the version of each artifact that is there, empty where that is not known
     */
    static Optional<String> refusal(Map<String, Optional<String>> found) {
        List<String> missing = new TreeSet<>(NEEDED.keySet())
                .stream().filter(artifact -> !found.containsKey(artifact)).toList();
        if (missing.size() == NEEDED.size()) {
            return Optional.of("found no Netty on the class path: " + EXPECTED);
        }
        if (!missing.isEmpty()) {
            return Optional.of("found no " + String.join(", no ", missing) + " on the class path: " + EXPECTED);
        }
        List<String> unfit = new ArrayList<>();
        Map<String, String> lines = new TreeMap<>();
        found.forEach((artifact, version) -> version.map(NUMBERS::matcher)
                .filter(Matcher::matches)
                .ifPresent(numbers -> {
                    String named = artifact + " " + numbers.group();
                    lines.put(numbers.group(1) + "." + numbers.group(2), named);
                    if (isTooOld(numbers)) {
                        unfit.add(named);
                    }
                }));
        if (unfit.isEmpty() && lines.size() > 1) {
            unfit.addAll(lines.values());
        }
        return unfit.isEmpty()
                ? Optional.empty()
                : Optional.of("found " + String.join(", ", unfit) + " on the class path: " + EXPECTED);
    }

    private static boolean isTooOld(Matcher numbers) {
        int major = Integer.parseInt(numbers.group(1));
        int minor = Integer.parseInt(numbers.group(2));
        int patch = Integer.parseInt(numbers.group(3));
        return major < 4 || (major == 4 && (minor < 1 || (minor == 1 && patch < OLDEST_PATCH_OF_4_1)));
    }
}
