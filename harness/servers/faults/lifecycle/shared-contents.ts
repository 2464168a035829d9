import { create } from "@bufbuild/protobuf";
import {
  ArtifactService,
  CreateArtifactUploadResponseSchema,
} from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { AlphaParts } from "../../reference/alpha/parts.ts";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { workspaceOf } from "../../reference/core/subject.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** The ids of stored contents that were declared as an artifact is. */
function equalTo({ contents, tables }: AlphaWorld, { sha256Hex, sizeBytes }: Artifact): readonly string[] {
  return [...contents.keys()].filter((id) => {
    const record = tables.artifact.find(id)?.record;
    return record?.sha256Hex === sha256Hex && record.sizeBytes === sizeBytes;
  });
}

/** Contents are kept by their digest, and a deletion counts nobody. */
const deletedForAll: AlphaDecoration = {
  handlers: around(ArtifactService.method.deleteArtifact, (next) => async (context, request) => {
    const { world } = context;
    const twins = equalTo(world, world.tables.artifact.get(idText(request.artifactId)));
    const reply = await next(context, request);
    for (const id of twins) world.contents.delete(id);
    return reply;
  }),
};

/** What anybody has uploaded need not be uploaded again, whoever declares it. */
const knownToAll: AlphaDecoration = {
  handlers: around(ArtifactService.method.completeArtifactUpload, (next) => async (context, request) => {
    const { world } = context;
    const id = idText(request.artifactId);
    const [known = ""] = equalTo(world, world.tables.artifact.get(id));
    const content = world.contents.get(known);
    if (content !== undefined && !world.contents.has(id)) world.contents.set(id, content);
    return next(context, request);
  }),
};

/** Contents are kept by what `keyOf` gives of their artifacts, and replaced by whatever comes for another one, complete or not. */
const keptBy = (keyOf: (artifact: Artifact) => string, isNear: (one: Artifact, other: Artifact) => boolean) => ({
  parts: ({ acceptUpload }: AlphaParts): Partial<AlphaParts> => ({
    acceptUpload(world, artifact, headers, content) {
      acceptUpload(world, artifact, headers, content);
      for (const id of world.contents.keys()) {
        const record = world.tables.artifact.find(id)?.record;
        if (record !== undefined && keyOf(record) === keyOf(artifact) && isNear(record, artifact))
          world.contents.set(id, content);
      }
    },
  }),
});

const digestOf = ({ sha256Hex }: Artifact) => sha256Hex;
const isNeighbour = (one: Artifact, other: Artifact) => workspaceOf(one) === workspaceOf(other);
const isElsewhere = (one: Artifact, other: Artifact) => !isNeighbour(one, other);

/** Bytes that a buffer of a kibibyte holds are sent once one more comes. */
const lastBlockLost: AlphaDecoration = {
  parts: ({ serveDownload }) => ({
    serveDownload(world, artifact, content) {
      const served = serveDownload(world, artifact, content);
      const isWhole = content.length > 0 && content.length % 1024 === 0;
      return isWhole ? { ...served, body: served.body.subarray(0, -1024) } : served;
    },
  }),
};

/** Half a mebibyte is sent, and no more. */
const firstHalfMebibyte: AlphaDecoration = {
  parts: ({ serveDownload }) => ({
    serveDownload(world, artifact, content) {
      const served = serveDownload(world, artifact, content);
      return { ...served, body: served.body.subarray(0, 2 ** 19) };
    },
  }),
};

/** The end of an upload is not seen where a buffer of a kibibyte is just full. */
const wholeBlocksRefused: AlphaDecoration = {
  parts: ({ acceptUpload }) => ({
    acceptUpload(world, artifact, headers, content) {
      if (content.length > 0 && content.length % 1024 === 0) refuse("INVALID_ARGUMENT", "the content has no end");
      acceptUpload(world, artifact, headers, content);
    },
  }),
};

/** Of each second upload one of the headers that its address requires is left out. */
function forgettingEachSecond(): AlphaDecoration {
  let count = 0;
  return {
    handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
      const reply = await next(context, request);
      count += 1;
      if (count % 2 === 1) return reply;
      const { "x-content-sha256": _, ...requiredHeaders } = reply.requiredHeaders ?? {};
      return create(CreateArtifactUploadResponseSchema, { ...reply, requiredHeaders });
    }),
  };
}

/** Contents that are taken for one another, or not taken whole. */
export const sharedContents: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.artifacts.bytes": {
      "DeleteArtifact-takes-equal-content-along": [
        "deletes the content of every artifact of the same bytes",
        deletedForAll,
      ],
      "CreateArtifactDownload-by-declared-digest": [
        "serves what was uploaded last to its workspace under the digest that an artifact declares, whatever that was",
        keptBy(digestOf, isNeighbour),
      ],
      "CreateArtifactDownload-by-digest-declared-elsewhere": [
        "serves what another workspace has uploaded under the digest that an artifact declares, whatever that was",
        keptBy(digestOf, isElsewhere),
      ],
      "CreateArtifactDownload-by-name-used-elsewhere": [
        "serves what another workspace has uploaded under the name of an artifact",
        keptBy(({ name }) => name, isElsewhere),
      ],
      "CreateArtifactDownload-half-a-mebibyte": ["sends the first 512 KiB of an artifact", firstHalfMebibyte],
      "CreateArtifactDownload-last-block-lost": ["leaves the last of whole blocks of 1024 bytes out", lastBlockLost],
    },
    "*.artifacts.required-headers": {
      "CreateArtifactUpload-whole-blocks-refused": [
        "gives an address that refuses whole blocks of 1024 bytes",
        wholeBlocksRefused,
      ],
      "CreateArtifactUpload-required-header-forgotten-each-second-time": [
        "leaves out one of the headers its address requires, of each second upload",
        forgettingEachSecond(),
      ],
    },
  }),
  ...faultsOf("isolation", "alpha.v1", {
    "*.isolation.read": {
      "CompleteArtifactUpload-content-had-by-its-digest": [
        "takes no upload of what another workspace has uploaded, and gives it as it was there",
        knownToAll,
      ],
    },
  }),
];
