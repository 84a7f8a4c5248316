/** Tests of the node. */
@NullMarked
package io.sluice.harness.node;

import org.jspecify.annotations.NullMarked;
