/** Encrypted connections: mutual TLS 1.3, by BoringSSL where there is a build of it, else by the JDK. */
@NullMarked
package io.sluice.netty.security;

import org.jspecify.annotations.NullMarked;
