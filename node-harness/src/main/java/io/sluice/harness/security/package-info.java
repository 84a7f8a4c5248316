/** Certificates for trying out encryption. */
@NullMarked
package io.sluice.harness.security;

import org.jspecify.annotations.NullMarked;
