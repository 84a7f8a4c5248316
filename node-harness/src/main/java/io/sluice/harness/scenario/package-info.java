/** Jobs for a whole cluster: make data, start nodes, do something to them, verify, report. */
@NullMarked
package io.sluice.harness.scenario;

import org.jspecify.annotations.NullMarked;
