import { expect, test } from "vitest";
import { takenOutOf, withPlainIds } from "./plain-ids.ts";

const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

test("an id keeps its value alone, wherever it stands, and what was beside it is told", () => {
  const message = withPlainIds({
    secret: { secretId: { ...id, etag: 1 }, name: "a" },
    ids: [{ ...id }, { tag: "x", ...id, more: {} }],
  });
  expect(message).toEqual({ secret: { secretId: id, name: "a" }, ids: [id, id] });
  expect(takenOutOf(message)).toEqual(["secret.secretId.etag", "ids[1].tag", "ids[1].more"]);
});

test("what is no id stays as it is", () => {
  const payload = { input: { value: "e30=", encoding: "JSON" }, odd: { value: "01890a5d", etag: 1 } };
  expect(withPlainIds(structuredClone(payload))).toEqual(payload);
  expect(takenOutOf(withPlainIds({ id }))).toEqual([]);
});
