/** Tests of what an admin endpoint understands. */
@NullMarked
package io.sluice.harness.admin;

import org.jspecify.annotations.NullMarked;
