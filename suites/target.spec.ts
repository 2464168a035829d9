import { conformance } from "../harness/vitest/conformance.ts";

// Judges the server that HALLMARK_TARGET or HALLMARK_BASE_URL names (vitest.config.ts).
await conformance();
