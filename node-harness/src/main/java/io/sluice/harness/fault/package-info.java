/** Ways to break things on purpose, and to mend them: networks, disks, files. */
@NullMarked
package io.sluice.harness.fault;

import org.jspecify.annotations.NullMarked;
