/** Project Reactor on top of UCX: connections, active messages, tags and remote memory as Mono and Flux. */
module io.reactorucx {
    requires transitive io.reactorucx.engine;
    requires transitive io.reactorucx.transport;
    requires transitive reactor.core;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;
    requires static micrometer.core;
    requires static micrometer.commons;
    requires static micrometer.observation;
    requires static HdrHistogram;
    requires transitive org.slf4j;
    requires reactor.pool;

    exports io.reactorucx;
    exports io.reactorucx.buffer;
    exports io.reactorucx.codec;
    exports io.reactorucx.connection;
    exports io.reactorucx.memory;
    exports io.reactorucx.message;
    exports io.reactorucx.metrics;
    exports io.reactorucx.observation;
}
