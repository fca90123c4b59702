/**
 * The memory domains of UCX's transport layer (UCT): which components this machine has, what each domain can do, and
 * memory that is allocated, registered and shared through one.
 *
 * <p>Start with {@link UctComponent#all()}. An object named {@code Uct*} wraps one native handle; a domain and what was
 * made from it belong to the thread that opened the domain. Services need none of this: contexts and workers of
 * {@code io.reactorucx.core} choose domains by themselves. As a module it needs
 * {@code --enable-native-access=io.reactorucx.core,io.reactorucx.uct}.
 */
@NullMarked
package io.reactorucx.uct;

import org.jspecify.annotations.NullMarked;
