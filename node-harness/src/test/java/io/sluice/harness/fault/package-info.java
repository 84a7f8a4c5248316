/** Tests of the ways to break things. */
@NullMarked
package io.sluice.harness.fault;

import org.jspecify.annotations.NullMarked;
