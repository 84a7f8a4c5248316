/** Node processes: started, watched, measured, killed and always stopped. */
@NullMarked
package io.sluice.harness.cluster;

import org.jspecify.annotations.NullMarked;
