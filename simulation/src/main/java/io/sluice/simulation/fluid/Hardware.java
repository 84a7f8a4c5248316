package io.sluice.simulation.fluid;

/**
 * What nodes can do, and what moving bytes costs them. Immutable. Rates are in bytes per second and may be infinite;
 * times are in seconds.
 *
 * @param nic of each node, in each direction
 * @param diskRead of each node
 * @param diskWrite of each node
 * @param cores of each node
 * @param sendCpu of one core, for each byte sent
 * @param receiveCpu of one core, for each byte received, checked and written
 * @param roundTrip between any two nodes
 * @param prepare from a session's connection until it knows what to fetch and has room for it
 * @param stage to make an SSTable durable and to open it, of one of the disk threads of a node
 * @param install from the last staged SSTable of a table until it is live
 * @param throttle what each node may send; infinite for no limit
 * @param machine what all nodes together can move where they share one machine; infinite where they do not
 */
public record Hardware(
        double nic,
        double diskRead,
        double diskWrite,
        double cores,
        double sendCpu,
        double receiveCpu,
        double roundTrip,
        double prepare,
        double stage,
        double install,
        double throttle,
        double machine) {
    /** What warm processes take for whole SSTables, every byte checked, TLS off: an estimate; calibrate to know. */
    private static final double SEND_CPU_PER_GB = 0.15;

    private static final double RECEIVE_CPU_PER_GB = 0.6;

    private static final double GIGA = 1e9;

    public Hardware {
        requirePositive("nic", nic);
        requirePositive("disk read", diskRead);
        requirePositive("disk write", diskWrite);
        requirePositive("cores", cores);
        requirePositive("throttle", throttle);
        requirePositive("machine", machine);
    }

    private static void requirePositive(String name, double value) {
        if (!(value > 0)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: more than 0)");
        }
    }

    /** Nodes of their own machines, in one data centre, of whose cores as many seconds are taken as here. */
    public static Hardware of(double nic, double disk, double cores) {
        return new Hardware(
                nic,
                disk,
                disk,
                cores,
                SEND_CPU_PER_GB / GIGA,
                RECEIVE_CPU_PER_GB / GIGA,
                0.0005,
                0.2,
                0.02,
                0.2,
                Double.POSITIVE_INFINITY,
                Double.POSITIVE_INFINITY);
    }

    /** The same with other costs of a byte, in seconds of one core. */
    public Hardware withCpu(double send, double receive) {
        return new Hardware(
                nic, diskRead, diskWrite, cores, send, receive, roundTrip, prepare, stage, install, throttle, machine);
    }

    /** The same, of which each node may send only so much. */
    public Hardware throttledTo(double bytesPerSecond) {
        return new Hardware(
                nic,
                diskRead,
                diskWrite,
                cores,
                sendCpu,
                receiveCpu,
                roundTrip,
                prepare,
                stage,
                install,
                bytesPerSecond,
                machine);
    }

    /** The same with nodes so far apart. */
    public Hardware withRoundTrip(double seconds) {
        return new Hardware(
                nic,
                diskRead,
                diskWrite,
                cores,
                sendCpu,
                receiveCpu,
                seconds,
                prepare,
                stage,
                install,
                throttle,
                machine);
    }
}
