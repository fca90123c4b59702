package io.reactorucx.examples.doctor.facts;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.uct.UctComponent;
import io.reactorucx.uct.UctMdAttributes;
import io.reactorucx.uct.UctMemoryDomain;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * A component of UCX on this machine.
 *
 * @param name its name
 * @param memoryDomains its memory domains; none without its device
 */
public record Component(String name, List<MemoryDomain> memoryDomains) {

    /** {@return all components of the loaded library, opened one after the other; none without UCX} */
    public static List<Component> all() {
        return Ucx.isAvailable() ? UctComponent.all().stream().map(Component::of).toList() : List.of();
    }

    private static Component of(UctComponent component) {
        return new Component(component.name(), component.memoryDomainNames().stream().map(name -> open(component, name))
                .toList());
    }

    private static MemoryDomain open(UctComponent component, String name) {
        try (UctMemoryDomain domain = component.open(name)) {
            UctMdAttributes attributes = domain.attributes();
            List<Transport> transports = domain.resources().stream()
                    .map(resource -> new Transport(resource.transport(), resource.device(), resource.type())).toList();
            return new MemoryDomain(name, "", names(attributes.flags()), names(attributes.registrableTypes()),
                    attributes.registrationCostSeconds().constant(), attributes.registrationCostSeconds().slope(),
                    attributes.packedKeyBytes(), ranges(attributes.localCpus()), transports);
        } catch (UcxException e) {
            return MemoryDomain.closed(name, String.valueOf(e.getMessage()));
        }
    }

    private static List<String> names(Collection<? extends Enum<?>> values) {
        return values.stream().sorted((a, b) -> a.ordinal() - b.ordinal()).map(Enum::name).toList();
    }

    /** Formats numbers of processors as the kernel does: {@code 0-3,8}. */
    public static String ranges(BitSet set) {
        List<String> ranges = new ArrayList<>();
        for (int first = set.nextSetBit(0); first >= 0;) {
            int last = set.nextClearBit(first) - 1;
            ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
            first = set.nextSetBit(last + 1);
        }
        return String.join(",", ranges);
    }

    /** {@return the transports of all its memory domains} */
    public Stream<Transport> transports() {
        return memoryDomains.stream().flatMap(domain -> domain.transports().stream());
    }
}
