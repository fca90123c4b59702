/** Safe Java objects over the memory domains of UCT, the lower of UCX's two APIs. */
module io.reactorucx.uct {
    requires transitive io.reactorucx.core;
    requires static transitive org.jspecify;

    exports io.reactorucx.uct;
}
