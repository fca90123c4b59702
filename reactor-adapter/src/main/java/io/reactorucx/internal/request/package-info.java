/** Requests and responses over message streams. */
@NullMarked
package io.reactorucx.internal.request;

import org.jspecify.annotations.NullMarked;
