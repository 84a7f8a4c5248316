/** Planning on paper: a ring from a file, what is to happen to it, and the plan as a person reads it. */
@NullMarked
package io.sluice.harness.plan;

import org.jspecify.annotations.NullMarked;
