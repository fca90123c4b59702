package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ffi.ucx_h;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** The numbers in this package's enumerations are those of UCX's headers, name by name. */
class HeaderValuesTest {

    /** The value that the bindings have for a constant of C. */
    private static long inC(String name) {
        try {
            return ((Number) ucx_h.class.getMethod(name).invoke(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the bindings have no " + name, e);
        }
    }

    private static <E extends Enum<E>> void compare(E[] values, String prefix, ToLongFunction<E> number) {
        assertThat(values).isNotEmpty()
                .allSatisfy(value -> assertThat(number.applyAsLong(value)).isEqualTo(inC(prefix + value.name())));
    }

    @Test
    void flagsAreThoseOfTheHeaders() {
        compare(UcpFeature.values(), "UCP_FEATURE_", UcpFeature::bit);
        compare(MemoryMapFlag.values(), "UCP_MEM_MAP_", MemoryMapFlag::bit);
        compare(MemoryProtection.values(), "UCP_MEM_MAP_PROT_", MemoryProtection::bit);
        assertThat(AmProtocol.EAGER.flag()).isEqualTo(ucx_h.UCP_AM_SEND_FLAG_EAGER());
        assertThat(AmProtocol.RENDEZVOUS.flag()).isEqualTo(ucx_h.UCP_AM_SEND_FLAG_RNDV());
    }

    @Test
    void codesAreThoseOfTheHeaders() {
        compare(MemoryAdvice.values(), "UCP_MADV_", MemoryAdvice::code);
        compare(ErrorMode.values(), "UCP_ERR_HANDLING_MODE_", ErrorMode::code);
        compare(UcxThreadMode.values(), "UCS_THREAD_MODE_", UcxThreadMode::code);
    }
}
