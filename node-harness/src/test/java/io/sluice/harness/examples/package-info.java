/**
 * Tests of what an application outside of this build gets: artifacts of a repository, the embedded jar, the examples.
 */
@NullMarked
package io.sluice.harness.examples;

import org.jspecify.annotations.NullMarked;
