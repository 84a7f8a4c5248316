/** Commands that talk to running nodes: what is there, what is streamed, what to change. */
@NullMarked
package io.sluice.harness.cli.operate;

import org.jspecify.annotations.NullMarked;
