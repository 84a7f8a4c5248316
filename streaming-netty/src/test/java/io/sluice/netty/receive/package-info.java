/** Tests. */
@NullMarked
package io.sluice.netty.receive;

import org.jspecify.annotations.NullMarked;
