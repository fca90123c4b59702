package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ffi.ucx_h;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** The numbers in this package's enumerations are those of UCX's headers, name by name. */
class UctHeaderValuesTest {

    private static long inC(String name) {
        try {
            return ((Number) ucx_h.class.getMethod(name).invoke(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the bindings have no " + name, e);
        }
    }

    private static <E extends Enum<E>> void compare(Set<E> values, String prefix, ToLongFunction<E> number) {
        assertThat(values).isNotEmpty()
                .allSatisfy(value -> assertThat(number.applyAsLong(value)).isEqualTo(inC(prefix + value.name())));
    }

    private static <E extends Enum<E>> void decode(Set<E> values, String prefix, LongFunction<Set<E>> decoder) {
        assertThat(values).isNotEmpty()
                .allSatisfy(value -> assertThat(decoder.apply(inC(prefix + value.name()))).containsExactly(value));
    }

    @Test
    void flagsAreThoseOfTheHeaders() {
        decode(EnumSet.allOf(UctMdFlag.class), "UCT_MD_FLAG_", UctMdFlag::of);
        decode(EnumSet.allOf(UctComponentFlag.class), "UCT_COMPONENT_FLAG_", UctComponentFlag::of);
        compare(EnumSet.range(UctMemoryFlag.NONBLOCK, UctMemoryFlag.HIDE_ERRORS), "UCT_MD_MEM_FLAG_",
                UctHeaderValuesTest::mask);
        compare(UctMemoryFlag.accessAll(), "UCT_MD_MEM_", UctHeaderValuesTest::mask);
        assertThat(UctMemoryFlag.mask(UctMemoryFlag.accessAll(), "test")).isEqualTo(ucx_h.UCT_MD_MEM_ACCESS_ALL());
        assertThat(UctMemoryFlag.mask(UctMemoryFlag.accessRma(), "test")).isEqualTo(ucx_h.UCT_MD_MEM_ACCESS_RMA());
        compare(EnumSet.allOf(UctMemoryAttributes.Field.class), "UCT_MD_MEM_ATTR_FIELD_", field -> 1L << field.bit());
    }

    private static long mask(UctMemoryFlag flag) {
        return UctMemoryFlag.mask(Set.of(flag), "test");
    }

    @Test
    void codesAreThoseOfTheHeaders() {
        compare(EnumSet.allOf(UctMemoryAdvice.class), "UCT_MADV_", UctMemoryAdvice::code);
        compare(EnumSet.allOf(UctSockaddrAccessibility.class), "UCT_SOCKADDR_ACC_", UctSockaddrAccessibility::code);
        compare(EnumSet.allOf(UctAllocationMethod.class), "UCT_ALLOC_METHOD_", UctAllocationMethod::code);
    }
}
