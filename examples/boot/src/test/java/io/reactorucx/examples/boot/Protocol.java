package io.reactorucx.examples.boot;

import reactor.netty.http.HttpProtocol;

/** What the bytes of the application's connections are. */
enum Protocol {
    HTTP_1_1(HttpProtocol.HTTP11, false, false), H2C(HttpProtocol.H2C, true, false),
    HTTPS(HttpProtocol.HTTP11, false, true), H2(HttpProtocol.H2, true, true);

    private final HttpProtocol client;
    private final boolean http2;
    private final boolean tls;

    Protocol(HttpProtocol client, boolean http2, boolean tls) {
        this.client = client;
        this.http2 = http2;
        this.tls = tls;
    }

    HttpProtocol client() {
        return client;
    }

    boolean http2() {
        return http2;
    }

    boolean tls() {
        return tls;
    }
}
