package io.sluice.harness.admin;

import com.fasterxml.jackson.core.JsonParseException;
import io.sluice.harness.json.JsonTree;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node.Location;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code ./sluice status} shows of a node: some of its {@link NodeInfo}. Immutable.
 *
 * @param bytes of all components of all tables
 * @param sstables that are live, of all tables
 * @param tables how many
 */
public record NodeSummary(
        String name,
        Location location,
        Address address,
        NodeInfo.Mode mode,
        long bytes,
        long sstables,
        int tables,
        List<VolumeStatus> volumes) {
    public NodeSummary {
        volumes = List.copyOf(volumes);
    }

    /**
     * That of a {@link NodeInfo}, as a node writes it.
     *
     * @throws JsonParseException if it is something else
     */
    public static NodeSummary of(JsonTree info) throws JsonParseException {
        JsonTree node = info.at("node");
        JsonTree address = node.at("address");
        JsonTree location = node.at("status").at("location");
        List<JsonTree> tables = info.at("tables").elements();
        long bytes = 0;
        long sstables = 0;
        for (JsonTree table : tables) {
            bytes += table.at("bytes").number();
            sstables += table.at("sstables").number();
        }
        try {
            List<VolumeStatus> volumes = new ArrayList<>();
            for (JsonTree volume : info.at("volumes").elements()) {
                volumes.add(new VolumeStatus(
                        volume.at("directory").text(),
                        volume.at("freeBytes").number(),
                        volume.at("reservedBytes").number(),
                        volume.at("headroomBytes").number(),
                        Math.toIntExact(volume.at("operations").number()),
                        volume.at("failure").textIfAny()));
            }
            return new NodeSummary(
                    node.at("name").text(),
                    new Location(location.at("dc").text(), location.at("rack").text()),
                    new Address(
                            address.at("host").text(),
                            Math.toIntExact(address.at("port").number())),
                    NodeInfo.Mode.valueOf(info.at("mode").text()),
                    bytes,
                    sstables,
                    tables.size(),
                    volumes);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new JsonParseException(null, e.getMessage(), e);
        }
    }
}
