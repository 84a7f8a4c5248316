/** A node process: a store on disk, Sluice embedded through its public API, an admin endpoint. */
@NullMarked
package io.sluice.harness.node;

import org.jspecify.annotations.NullMarked;
