/** Tests of node processes. */
@NullMarked
package io.sluice.harness.cluster;

import org.jspecify.annotations.NullMarked;
