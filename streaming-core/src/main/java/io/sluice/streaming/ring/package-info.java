/** Who owns which tokens: an immutable model of nodes, tokens and replication. No I/O. */
@NullMarked
package io.sluice.streaming.ring;

import org.jspecify.annotations.NullMarked;
