package io.sluice.harness.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.NetUtil;
import io.sluice.harness.admin.AdminToken;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may send requests: whoever knows the token, from this machine, but no web page. A page in a browser of
 * this machine could send requests; they carry its origin, and the host name that it used. Immutable.
 *
 * @param bound address that the endpoint listens on
 */
record RequestCheck(AdminToken token, InetAddress bound) {
    private static final String BEARER = "Bearer ";

    /** Why a request is refused, judged by its head alone; empty if it is accepted. */
    Optional<Answer> refusal(HttpRequest head) {
        List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1 || !isThisMachine(hosts.get(0))) {
            return refused(403, "the Host header names another machine (expected: localhost or a loopback address)");
        }
        if (head.headers().contains(HttpHeaderNames.ORIGIN)) {
            return refused(403, "requests from web pages are refused (expected: no Origin header)");
        }
        List<String> authorizations = head.headers().getAll(HttpHeaderNames.AUTHORIZATION);
        if (authorizations.size() != 1 || !isToken(authorizations.get(0))) {
            return refused(401, "not authenticated (expected: the token of the node's admin_token_file)");
        }
        if (head.method().equals(HttpMethod.POST) && !isJson(HttpUtil.getMimeType(head))) {
            return refused(415, "unsupported content type (expected: Content-Type: application/json)");
        }
        return Optional.empty();
    }

    private static Optional<Answer> refused(int status, String reason) {
        return Optional.of(Answer.refused(status, reason));
    }

    private boolean isToken(String authorization) {
        return authorization.startsWith(BEARER) && token.is(authorization.substring(BEARER.length()));
    }

    private static boolean isJson(@Nullable CharSequence type) {
        return type != null && type.toString().strip().equalsIgnoreCase("application/json");
    }

    private boolean isThisMachine(String host) {
        String name = withoutPort(host);
        if (name.toLowerCase(Locale.ROOT).equals("localhost")) {
            return true;
        }
        byte[] address = NetUtil.createByteArrayFromIpAddressString(name);
        if (address == null) {
            return false; // names are not resolved: their owner could return our address
        }
        try {
            InetAddress literal = InetAddress.getByAddress(address);
            return literal.isLoopbackAddress() || literal.equals(bound);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + address.length + " bytes", e);
        }
    }

    private static String withoutPort(String host) {
        int bracket = host.indexOf(']');
        if (host.startsWith("[") && bracket > 0) {
            return host.substring(1, bracket);
        }
        int colon = host.indexOf(':');
        return colon < 0 ? host : host.substring(0, colon);
    }
}
