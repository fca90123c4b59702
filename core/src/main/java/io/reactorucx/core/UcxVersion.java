package io.reactorucx.core;

import java.util.Objects;

/**
 * The version of a loaded UCX library ({@code ucp_get_version}).
 *
 * @param major first number
 * @param minor second number
 * @param release third number
 */
public record UcxVersion(int major, int minor, int release) implements Comparable<UcxVersion> {

    /** Oldest library that this project runs on. */
    public static final UcxVersion MINIMUM = new UcxVersion(1, 13, 0);

    /**
     * Returns whether this version is at least another one.
     *
     * @param otherMajor first number
     * @param otherMinor second number
     * @return whether this is the same or newer
     */
    public boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || (major == otherMajor && minor >= otherMinor);
    }

    @Override
    public int compareTo(UcxVersion other) {
        if (major != Objects.requireNonNull(other, "other").major) {
            return Integer.compare(major, other.major);
        }
        return minor != other.minor ? Integer.compare(minor, other.minor) : Integer.compare(release, other.release);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + release;
    }
}
