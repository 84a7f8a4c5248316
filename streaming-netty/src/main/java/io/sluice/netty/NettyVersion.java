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
 * Refuses a Netty on which the libraries cannot run, before any of its classes is loaded: otherwise the first missing
 * class would cause a {@code NoClassDefFoundError} somewhere. Stateless.
 */
final class NettyVersion {
    private static final int OLDEST_PATCH_OF_4_1 = 96;
    private static final String EXPECTED = "Sluice needs Netty 4.1." + OLDEST_PATCH_OF_4_1
            + " or newer, or Netty 4.2, all artifacts of one version; import netty-bom in dependencyManagement";

    /** A class of each required artifact. Relocation of this library relocates these names, too. */
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
     * Checks the Netty on the class path.
     *
     * @throws IllegalStateException if it is missing, too old, or a mix of 4.1 and 4.2; the message names what was
     *     found and what is needed
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

    /**
     * The version in the manifest of the artifact's jar; if jars were merged or are modules, the version in any
     * resource.
     */
    private static Optional<String> version(String artifact, Class<?> kind) {
        if (kind.getPackageName().startsWith("io.sluice.")) {
            return Optional.empty(); // relocated: it came with this library
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
     * Why Sluice cannot run on this Netty; empty if it can.
     *
     * @param found the version of each artifact found; empty if it is unknown
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
