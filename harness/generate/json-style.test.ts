import { expect, test } from "vitest";
import { JobSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { writeJson, writeKey } from "./json-style.ts";

const id = { value: "01990000-0000-7000-8000-00000000000b" };
const job = { id, state: "JOB_STATE_QUEUED", progressPercent: 5, inputArtifactIds: [id, id], completedAt: null };

test("without a style a message is written as JSON", () => {
  expect(writeJson(JobSchema, job, {})).toBe(JSON.stringify(job));
});

test("keys, texts, values of a kind and the order of members are written as the style says, at any depth", () => {
  const written = writeJson(JobSchema, job, {
    key: (field) => `"${field.name}"`,
    text: (value) => `"<${value.length}>"`,
    values: { uint32: (value) => `${value}.0`, enum: (value, shape) => `"${shape.kind} ${value}"` },
    members: (members) => members.toReversed(),
  });
  expect(written).toBe(
    '{"completed_at":null,"input_artifact_ids":[{"value":"<36>"},{"value":"<36>"}],"progress_percent":5.0,"state":"enum JOB_STATE_QUEUED","id":{"value":"<36>"}}',
  );
});

test("a key the message does not have is an error", () => {
  expect(() => writeJson(JobSchema, { none: 1 }, {})).toThrow("alpha.v1.Job has no field none");
});

test("a key is the JSON name of its field unless the style says otherwise", () => {
  const [field] = JobSchema.fields.filter(({ jsonName }) => jsonName === "createdAt");
  expect(field && writeKey(field, {})).toBe('"createdAt"');
  expect(field && writeKey(field, { key: () => "x" })).toBe("x");
});
