/** Codecs: what turns values into messages and messages into values, in the memory in which messages travel. */
@NullMarked
package io.reactorucx.codec;

import org.jspecify.annotations.NullMarked;
