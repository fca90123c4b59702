package io.reactorucx.spring.boot;

import io.netty.pkitesting.X509Bundle;
import io.reactorucx.testsupport.TestCertificates;
import java.util.ArrayList;
import java.util.List;

/** Properties of an SSL bundle with which an application talks to itself. */
public final class PeerBundle {

    private PeerBundle() {
    }

    /**
     * Adds the bundle to properties.
     *
     * @param others the properties
     * @return those, a bundle {@code peer} that trusts its own authority, and its use for UCX
     */
    public static String[] with(String... others) {
        TestCertificates authority = new TestCertificates("authority");
        X509Bundle peer = authority.issue("first");
        List<String> all = new ArrayList<>(List.of(others));
        String bundle = "spring.ssl.bundle.pem.peer.";
        all.add(bundle + "keystore.certificate=" + peer.getCertificatePathPEM());
        all.add(bundle + "keystore.private-key=" + peer.getPrivateKeyPEM());
        all.add(bundle + "truststore.certificate=" + authority.certificatePem());
        all.add("reactor.ucx.ssl.bundle=peer");
        return all.toArray(String[]::new);
    }
}
