/** Plain operations of UCX as signals: active messages, tagged receives, byte streams. */
@NullMarked
package io.reactorucx.internal.ucp;

import org.jspecify.annotations.NullMarked;
