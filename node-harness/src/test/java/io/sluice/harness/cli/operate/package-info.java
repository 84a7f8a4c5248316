/** Tests of commands that talk to running nodes. */
@NullMarked
package io.sluice.harness.cli.operate;

import org.jspecify.annotations.NullMarked;
