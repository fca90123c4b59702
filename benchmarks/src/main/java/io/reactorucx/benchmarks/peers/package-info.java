/**
 * The libraries that Reactor UCX is compared with, each as a server and as a client that measures and prints one line
 * of JSON.
 */
@NullMarked
package io.reactorucx.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
