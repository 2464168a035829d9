import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { describeContradiction, describeStep, showFieldsAt } from "./contradiction.ts";

const replyOf = (method: string) => unaryReply(`alpha.v1.SecretService/${method}`, {}, {});
const [made, refused, read] = [replyOf("CreateSecret"), replyOf("RotateSecret"), replyOf("GetSecret")];
const steps = [made, refused, read].map((reply) => ({ what: "", replies: [reply] }));

test("a step is told by its number and its RPC, what came before the first as the set-up", () => {
  expect(describeStep(refused, steps)).toBe("step 2 RotateSecret");
  expect(describeStep(undefined, steps)).toBe("the set-up");
  expect(describeStep(replyOf("ListSecrets"), steps)).toBe("ListSecrets");
});

test("fields are shown with their paths", () => {
  expect(showFieldsAt("secret", { name: "a" }, ["name", "deletedAt"])).toBe('secret.name "a", secret.deletedAt absent');
  const many = showFieldsAt("secret", { a: 1 }, ["a", "b", "c", "d", "e"]);
  expect(many).toBe("secret.a 1, secret.b absent, secret.c absent and 2 more that differ");
});

test("a contradiction names both readings, and the call between them that is judged", () => {
  const contradiction = { at: "secret.name", before: { reply: made, says: "showed A" }, says: "showed B" };
  expect(describeContradiction(contradiction, read, steps)).toBe(
    "step 1 CreateSecret showed A, step 3 GetSecret showed B, and nothing between changed it",
  );
  expect(describeContradiction({ ...contradiction, after: read }, refused, steps)).toBe(
    "step 1 CreateSecret showed A, step 3 GetSecret showed B, and between them was only step 2 RotateSecret, which must have no effect",
  );
  expect(describeContradiction({ ...contradiction, between: "in one request" }, read, steps)).toMatch(
    /B, in one request$/,
  );
});
