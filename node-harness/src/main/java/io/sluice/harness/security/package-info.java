/** Certificates to try encryption with. */
@NullMarked
package io.sluice.harness.security;

import org.jspecify.annotations.NullMarked;
