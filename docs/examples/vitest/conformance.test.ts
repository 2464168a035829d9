import { conformance } from "hallmark/vitest";

await conformance({ target: "target.yaml", services: ["CatalogService"] });
