package io.reactorucx.transport.config;

import io.reactorucx.core.UcxTransportKind;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kinds of transports that the data of a connection may go over.
 *
 * @param kinds in the order of their declaration; all kinds where nothing is required, and none where the two sides of
 *     a connection exclude each other
 */
public record TransportRequirement(List<UcxTransportKind> kinds) {

    /** Nothing is required. */
    public static final TransportRequirement ANY = new TransportRequirement(List.of(UcxTransportKind.values()));

    private static final int ALL_BITS = ANY.bits();

    public TransportRequirement {
        kinds = List.copyOf(kinds);
    }

    /** Returns the requirement of some kinds; of no kind is none. Shared memory includes a worker's own. */
    public static TransportRequirement of(UcxTransportKind... kinds) {
        Set<UcxTransportKind> all = EnumSet.noneOf(UcxTransportKind.class);
        for (UcxTransportKind kind : Objects.requireNonNull(kinds, "kinds")) {
            all.add(Objects.requireNonNull(kind, "kinds: each"));
        }
        if (all.contains(UcxTransportKind.SHARED_MEMORY)) {
            all.add(UcxTransportKind.SELF);
        }
        return all.isEmpty() ? ANY : new TransportRequirement(List.copyOf(all));
    }

    /** Returns the requirement that a peer has sent as bits, of which some may be of kinds that are not known here. */
    public static TransportRequirement ofBits(int bits) {
        return (bits & ALL_BITS) == ALL_BITS ? ANY : new TransportRequirement(Stream.of(UcxTransportKind.values())
                .filter(kind -> (bits & bit(kind)) != 0).toList());
    }

    /** Returns a bit for each kind. */
    public int bits() {
        return kinds.stream().mapToInt(TransportRequirement::bit).sum();
    }

    /** Returns a bit for the kind of each transport. */
    public static int bitsOf(Collection<String> transports) {
        return transports.stream().map(UcxTransportKind::of).distinct().mapToInt(TransportRequirement::bit).sum();
    }

    private static int bit(UcxTransportKind kind) {
        return 1 << kind.ordinal();
    }

    public boolean isAny() {
        return kinds.size() == UcxTransportKind.values().length;
    }

    /** Returns what both sides of a connection require. */
    public TransportRequirement and(TransportRequirement other) {
        return new TransportRequirement(kinds.stream().filter(other.kinds::contains).toList());
    }

    /** Returns whether all of some transports are allowed, of which there has to be one: data may go over each. */
    public boolean allowsAll(Collection<String> transports) {
        return !transports.isEmpty() && transports.stream().allMatch(this::allows);
    }

    /** Returns whether one of some transports is allowed. */
    public boolean allowsOneOf(Collection<String> transports) {
        return transports.stream().anyMatch(this::allows);
    }

    /** Returns whether kinds that a peer has sent as bits are all allowed. */
    public boolean allowsBits(int taken) {
        return (taken & ~bits()) == 0;
    }

    private boolean allows(String transport) {
        return kinds.contains(UcxTransportKind.of(transport));
    }

    /** Returns the names of the kinds. */
    @Override
    public String toString() {
        return kinds.stream().map(UcxTransportKind::tag).collect(Collectors.joining(" or "));
    }
}
