/** Who may do what: identities of peers, the authorizer of the database, and who is on hold. */
@NullMarked
package io.sluice.streaming.access;

import org.jspecify.annotations.NullMarked;
