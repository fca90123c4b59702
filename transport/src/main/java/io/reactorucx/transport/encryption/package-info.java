/** Encryption of what a connection carries: a layer over its other carriers. */
@NullMarked
package io.reactorucx.transport.encryption;

import org.jspecify.annotations.NullMarked;
