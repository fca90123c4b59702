package io.reactorucx.uct;

/**
 * An estimate that grows with a size: {@code constant + slope * bytes} ({@code ucs_linear_func_t}).
 *
 * @param constant value for nothing
 * @param slope growth per byte
 */
public record UctLinearFunction(double constant, double slope) {

    /**
     * The estimate for a size.
     *
     * @param bytes the size
     * @return the value
     */
    public double apply(long bytes) {
        return constant + slope * bytes;
    }
}
