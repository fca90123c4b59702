package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What an application over UCX gets beside its own libraries. */
class ClassPathTest {

    /** Spring Boot sets a version of it that not every repository has, so the other tests here run without. */
    @Test
    void theNettyTransportBringsNoReactorPool() {
        assertThatThrownBy(() -> Class.forName("reactor.pool.Pool")).isInstanceOf(ClassNotFoundException.class);
    }
}
