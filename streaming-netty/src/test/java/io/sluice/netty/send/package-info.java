/** Tests. */
@NullMarked
package io.sluice.netty.send;

import org.jspecify.annotations.NullMarked;
