/** Tests. */
@NullMarked
package io.sluice.netty.security;

import org.jspecify.annotations.NullMarked;
