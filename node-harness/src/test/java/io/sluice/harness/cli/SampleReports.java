package io.sluice.harness.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.RunReport;
import java.io.IOException;
import java.util.Locale;

/** Reports of runs that nobody made. Stateless. */
final class SampleReports {
    private SampleReports() {}

    /** A replacement that streamed 2 GB from two sources and was verified; in mode {@code mode}. */
    static RunReport verified(double seconds, String mode) throws IOException {
        return Json.MAPPER.readValue(json("installed", "true", seconds, mode), RunReport.class);
    }

    /** The same, but it failed. */
    static RunReport failed(double seconds) throws IOException {
        return Json.MAPPER.readValue(
                json("failed", "false", seconds, "whole")
                        .replace("\"failure\": null", "\"failure\": \"the disk of node4 is full\""),
                RunReport.class);
    }

    /** The same, of which nothing has moved. */
    static RunReport ofNothing(RunReport report) throws IOException {
        ObjectNode json = Json.MAPPER.valueToTree(report);
        ((ObjectNode) json.get("transfer"))
                .put("seconds", 0)
                .put("bytes", 0)
                .put("megabytesPerSecond", 0)
                .put("files", 0)
                .put("sstables", 0);
        json.putArray("sources");
        return Json.MAPPER.treeToValue(json, RunReport.class);
    }

    /** The same, but of the two SSTables that were installed some were offered again: five in all. */
    static RunReport offeredTwice(RunReport report) throws IOException {
        ObjectNode json = Json.MAPPER.valueToTree(report);
        ((ObjectNode) json.get("transfer")).put("sstables", 5);
        json.putArray("results")
                .addObject()
                .put("node", "node4")
                .put("table", "bench.users")
                .put("state", "installed")
                .put("reason", "")
                .put("sstables", 2)
                .put("bytes", 2_000_000_000)
                .put("writes", "");
        return Json.MAPPER.treeToValue(json, RunReport.class);
    }

    private static String json(String state, String asExpected, double seconds, String mode) {
        return String.format(Locale.ROOT, """
                {"scenario": "replace-node", "title": "node4 replaced node3", "startedAt": "2026-11-24T02:00:00Z",
                 "phase": "ended", "verified": %2$s, "failure": null,
                 "setting": {"nodes": 3, "replicationFactor": 3, "dcs": ["datacenter1"], "racks": 1, "vnodes": 1,
                   "data": "2.00 GiB, generated", "deadNode": "node3", "replacement": "node4", "tables": ["bench.users"], "options": {}},
                 "members": [], "results": [], "checks": [], "marks": [],
                 "end": {"state": "%1$s", "code": null, "expected": "installed", "asExpected": %2$s},
                 "transfer": {"seconds": %3$f, "bytes": 2000000000, "megabytesPerSecond": %4$f, "files": 14,
                   "sstables": 2, "mode": "%5$s", "verificationSeconds": 0.5},
                 "sources": [
                   {"node": "node1", "address": "127.0.0.2:7000", "to": "node4", "attempt": 1, "label": "node1",
                    "bytes": 1000000000, "bytesTotal": 1000000000, "bytesResumed": 0, "files": 7, "filesTotal": 7,
                    "sstables": 1, "mode": "%5$s", "state": "COMPLETE", "offers": []},
                   {"node": "node2", "address": "127.0.0.3:7000", "to": "node4", "attempt": 1, "label": "node2",
                    "bytes": 1000000000, "bytesTotal": 1000000000, "bytesResumed": 0, "files": 7, "filesTotal": 7,
                    "sstables": 1, "mode": "%5$s", "state": "COMPLETE", "offers": []}],
                 "processes": [{"node": "node4", "role": "replacement", "cpuSeconds": 1.5, "systemCpuSeconds": 0.5,
                   "peakMemoryBytes": 200000000}],
                 "samples": [{"seconds": 0.0, "receivedBytes": {}, "cpuSeconds": {}},
                   {"seconds": %3$f, "receivedBytes": {"node1": 1000000000, "node2": 1000000000},
                    "cpuSeconds": {"node4": 1.5}}],
                 "environment": {"version": "Sluice 0.1.0", "command": "./sluice replace-node", "settings": {},
                   "java": "17", "system": "Linux", "processors": 2, "memoryBytes": 8000000000, "fileSystem": "ext4",
                   "congestionControl": "cubic", "load": 0.1},
                 "logs": "work"}
                """, state, asExpected, seconds, 2000 / seconds, mode);
    }
}
