/** What UCX says in numbers, names and bytes. */
@NullMarked
package io.reactorucx.uct.internal;

import org.jspecify.annotations.NullMarked;
