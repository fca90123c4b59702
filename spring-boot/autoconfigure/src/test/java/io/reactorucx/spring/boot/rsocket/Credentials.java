package io.reactorucx.spring.boot.rsocket;

import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.security.rsocket.metadata.SimpleAuthenticationEncoder;
import org.springframework.security.rsocket.metadata.UsernamePasswordMetadata;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/** Who a client says it is, in the metadata of its setup frame. */
record Credentials(String user, String password) {

    static final Credentials ANNA = new Credentials("anna", "pa");
    static final Credentials ROOT = new Credentials("root", "pr");
    static final Credentials WRONG = new Credentials("anna", "guess");

    private static final MimeType AUTHENTICATION =
            MimeTypeUtils.parseMimeType("message/x.rsocket.authentication.v0");

    RSocketRequester.Builder of(RSocketRequester.Builder builder) {
        return builder.rsocketStrategies(strategies -> strategies.encoder(new SimpleAuthenticationEncoder()))
                .setupMetadata(new UsernamePasswordMetadata(user, password), AUTHENTICATION);
    }
}
