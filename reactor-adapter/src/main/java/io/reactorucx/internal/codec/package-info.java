/** What stands between codecs and the memory in which messages travel: messages that come and messages that go. */
@NullMarked
package io.reactorucx.internal.codec;

import org.jspecify.annotations.NullMarked;
