/** The streaming engine of a node: what an embedding database starts, asks and closes. */
@NullMarked
package io.sluice.netty;

import org.jspecify.annotations.NullMarked;
