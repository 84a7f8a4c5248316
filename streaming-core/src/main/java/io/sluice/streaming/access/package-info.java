/** Access control: identities of peers, the database's authorizer, and peers on hold. */
@NullMarked
package io.sluice.streaming.access;

import org.jspecify.annotations.NullMarked;
