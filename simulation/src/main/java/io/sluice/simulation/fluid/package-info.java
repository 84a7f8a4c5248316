/**
 * How long a change of a large cluster takes: the production planner, coordinator and sessions, on links, disks and
 * cores that are modelled as fluids. No byte exists; only how many of them have flowed.
 */
@NullMarked
package io.sluice.simulation.fluid;

import org.jspecify.annotations.NullMarked;
