/** Tests of the model of large clusters. */
@NullMarked
package io.sluice.simulation.fluid;

import org.jspecify.annotations.NullMarked;
