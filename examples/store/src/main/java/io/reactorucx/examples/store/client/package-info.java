/** A client of the store, which finds the nodes by the registry and asks the replicas of a key. */
@NullMarked
package io.reactorucx.examples.store.client;

import org.jspecify.annotations.NullMarked;
