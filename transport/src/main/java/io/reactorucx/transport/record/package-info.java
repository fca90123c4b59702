/** Encrypted records, without any transport: keys, sealing, opening, and what must not come twice. */
@NullMarked
package io.reactorucx.transport.record;

import org.jspecify.annotations.NullMarked;
