/** An event loop and socket channels for Netty, whose bytes go over UCX. */
module io.reactorucx.netty {
    requires transitive io.reactorucx.transport;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires transitive io.netty.transport.unix.common;
    requires static micrometer.core;
    requires static micrometer.commons;
    requires static transitive reactor.core;
    requires static transitive reactor.netty.core;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.reactorucx.netty;
    exports io.reactorucx.netty.resources;
}
