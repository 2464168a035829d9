import { create } from "@bufbuild/protobuf";
import {
  ExecutionMode,
  type MiniAppDescriptor,
  MiniAppDescriptorSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";

/** The mini app whose operations are the fixture RPCs. */
export const fixtureAppId = "test-fixture";

const day = 24n * 60n * 60n;
const service = "alpha.v1.PublicTestFixtureService";
const { SYNCHRONOUS, ASYNCHRONOUS } = ExecutionMode;

/** The catalog, in its own order; the same for every workspace. */
export function createMiniApps(resourceVersion: bigint): readonly MiniAppDescriptor[] {
  return [
    create(MiniAppDescriptorSchema, {
      id: fixtureAppId,
      displayName: "Test fixture",
      description: "Does what its input says: succeeds, fails, retries, takes its time.",
      operations: [
        { procedure: `${service}/RunSync`, displayName: "Run and answer", executionMode: SYNCHRONOUS },
        { procedure: `${service}/RunStream`, displayName: "Run and stream", executionMode: SYNCHRONOUS },
        { procedure: `${service}/RunAsync`, displayName: "Run as a job", executionMode: ASYNCHRONOUS },
      ].map((operation) => ({
        ...operation,
        apiKeyScopes: ["test-fixture:execute"],
        platformMeterKey: "test_fixture.runs",
        free: false,
      })),
      artifactConstraints: {
        acceptedMimeTypes: [
          "application/octet-stream",
          "text/plain",
          "application/json",
          "application/pdf",
          "image/png",
        ],
        maximumObjectSizeBytes: 16n * 1024n * 1024n,
        maximumInputCount: 10,
        defaultRetention: { seconds: day },
        maximumRetention: { seconds: 30n * day },
      },
      maximumAttempts: 3,
      maximumDuration: { seconds: 60n },
      resourceVersion,
    }),
    create(MiniAppDescriptorSchema, {
      id: "document-summary",
      displayName: "Document summary",
      description: "Shortens documents; counts their pages for nothing.",
      operations: [
        {
          procedure: "documents.v1.SummaryService/CountPages",
          displayName: "Count pages",
          executionMode: SYNCHRONOUS,
          apiKeyScopes: ["artifacts:read"],
          platformMeterKey: "",
          free: true,
        },
        {
          procedure: "documents.v1.SummaryService/Summarize",
          displayName: "Summarize",
          executionMode: ASYNCHRONOUS,
          apiKeyScopes: ["artifacts:read", "artifacts:write", "jobs:write"],
          platformMeterKey: "document_summary.pages",
          free: false,
        },
      ],
      artifactConstraints: {
        acceptedMimeTypes: ["application/pdf", "text/plain"],
        maximumObjectSizeBytes: 8n * 1024n * 1024n,
        maximumInputCount: 4,
        defaultRetention: { seconds: 7n * day },
        maximumRetention: { seconds: 90n * day },
      },
      maximumAttempts: 5,
      maximumDuration: { seconds: 900n },
      resourceVersion,
    }),
    create(MiniAppDescriptorSchema, {
      id: "image-thumbnails",
      displayName: "Image thumbnails",
      description: "Makes small images out of large ones.",
      operations: [
        {
          procedure: "images.v1.ThumbnailService/Render",
          displayName: "Render thumbnails",
          executionMode: ASYNCHRONOUS,
          apiKeyScopes: ["artifacts:read", "artifacts:write"],
          platformMeterKey: "image_thumbnails.images",
          free: false,
        },
      ],
      artifactConstraints: {
        acceptedMimeTypes: ["image/png", "image/jpeg"],
        maximumObjectSizeBytes: 4n * 1024n * 1024n,
        maximumInputCount: 20,
        defaultRetention: { seconds: 3600n },
        maximumRetention: { seconds: day, nanos: 500_000_000 },
      },
      maximumAttempts: 2,
      maximumDuration: { seconds: 30n, nanos: 250_000_000 },
      resourceVersion,
    }),
  ];
}
