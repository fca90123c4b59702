/** RSocket over UCX: each of its frames is a message of a connection. */
module io.reactorucx.rsocket {
    requires transitive io.reactorucx;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive rsocket.core;
    requires static transitive org.jspecify;

    exports io.reactorucx.rsocket;
}
