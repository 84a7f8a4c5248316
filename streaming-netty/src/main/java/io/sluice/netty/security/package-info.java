/** Encrypted connections: mutual TLS 1.3, by BoringSSL if a build for the platform is present, otherwise by the JDK. */
@NullMarked
package io.sluice.netty.security;

import org.jspecify.annotations.NullMarked;
