import { createHash } from "node:crypto";
import { type DescFile, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { clauses } from "../../proto/clauses/index.ts";
import { services } from "../../proto/rpcs.ts";

/** A file with those it imports, by name. */
function filesOf(file: DescFile, found: Map<string, DescFile>): Map<string, DescFile> {
  if (found.has(file.name)) return found;
  found.set(file.name, file);
  for (const imported of file.dependencies) filesOf(imported, found);
  return found;
}

/** SHA-256 of the contract as this suite has it: every clause, every service with its messages and options. */
export function contractHash(): string {
  const hash = createHash("sha256").update(JSON.stringify(clauses));
  const files = new Map<string, DescFile>();
  for (const { file } of services) filesOf(file, files);
  for (const [name, { proto }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(name).update(toBinary(FileDescriptorProtoSchema, proto));
  }
  return hash.digest("hex");
}
