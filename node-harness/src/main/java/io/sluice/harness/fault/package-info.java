/** Injects and heals faults: of networks, disks, files. */
@NullMarked
package io.sluice.harness.fault;

import org.jspecify.annotations.NullMarked;
