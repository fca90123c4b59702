package io.reactorucx.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The certificates by which TLS has authenticated a peer.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> immutable. <b>Errors:</b> a name that cannot be read is left out.
 *
 * @param chain the peer's own certificate first, then those that have signed it; never empty
 */
public record PeerCertificates(List<X509Certificate> chain) {

    /** Types of a subject's alternative names (RFC 5280, 4.2.1.6). */
    private static final int DNS_NAME = 2;
    private static final int UNIFORM_RESOURCE_IDENTIFIER = 6;
    private static final String SPIFFE = "spiffe://";

    /** Checks that there is a certificate. */
    public PeerCertificates {
        for (X509Certificate each : Objects.requireNonNull(chain, "chain")) {
            Objects.requireNonNull(each, "chain: each");
        }
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("chain []: must have a certificate");
        }
    }

    /** {@return the peer's own certificate} */
    public X509Certificate certificate() {
        return chain.getFirst();
    }

    /** {@return the subject of the peer's certificate, which is empty where its names are all alternative ones} */
    public X500Principal principal() {
        return certificate().getSubjectX500Principal();
    }

    /** {@return the host names of the certificate, wildcards as they are} */
    public List<String> dnsNames() {
        return names(DNS_NAME);
    }

    /** {@return the URIs of the certificate} */
    public List<String> uris() {
        return names(UNIFORM_RESOURCE_IDENTIFIER);
    }

    /**
     * {@return the peer's SPIFFE id: the URI of its certificate if that has exactly one, as SPIFFE demands, and its
     * scheme is {@code spiffe}}
     */
    public Optional<String> spiffeId() {
        List<String> uris = uris();
        return uris.size() == 1 && uris.getFirst().startsWith(SPIFFE) ? Optional.of(uris.getFirst())
                : Optional.empty();
    }

    private List<String> names(int type) {
        @Nullable Collection<List<?>> all;
        try {
            all = certificate().getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return List.of();
        }
        return all == null ? List.of() : all.stream().filter(name -> Objects.equals(name.get(0), type))
                .map(name -> String.valueOf(name.get(1))).toList();
    }

    @Override
    public String toString() {
        return "PeerCertificates[" + principal() + ", " + uris() + ", " + dnsNames() + "]";
    }
}
