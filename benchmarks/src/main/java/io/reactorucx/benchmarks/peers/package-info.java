/**
 * What Reactor UCX is compared with, each in the roles of a server and of a client that measures and prints one line of
 * JSON.
 */
@NullMarked
package io.reactorucx.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
