/** Threads that own UCX workers: commands in, completions out. */
module io.reactorucx.engine {
    requires transitive io.reactorucx.core;
    requires static transitive org.jspecify;
    requires org.agrona;
    requires org.jctools.core.jdk11;
    requires org.slf4j;

    exports io.reactorucx.engine;
}
