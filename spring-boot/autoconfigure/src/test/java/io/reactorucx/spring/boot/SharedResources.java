package io.reactorucx.spring.boot;

import io.reactorucx.UcxResources;

/** Resources for tests that look at what is made of them, for the life of the process. */
final class SharedResources {

    static final UcxResources INSTANCE = UcxResources.builder().transports("tcp", "self", "posix").build();

    private SharedResources() {
    }
}
