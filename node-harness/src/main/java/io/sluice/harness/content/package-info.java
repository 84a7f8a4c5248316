/** What lies on a node's disk: opened SSTables of a table, and digests of their content. */
@NullMarked
package io.sluice.harness.content;

import org.jspecify.annotations.NullMarked;
