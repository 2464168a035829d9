import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, addressOf, hashOf } from "./address.ts";
import { everything, levels, marks } from "./filter.ts";

const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => text.isWellFormed());
const segment = name.filter((text) => !text.includes("/"));
const rpc = fc.tuple(segment, segment).map(([service, method]) => `${service}/${method}`);
const place: fc.Arbitrary<Address["place"]> = fc.oneof(
  fc.constantFrom("matrix", "failures", "cases", "observations", "run").map((page) => ({ page }) as const),
  fc.record({ page: fc.constant("rpc" as const), rpc, area: fc.oneof(fc.constant(""), segment) }),
  fc.record({
    page: fc.constant("case" as const),
    rpc,
    id: fc.tuple(segment, segment).map((parts) => parts.join("/")),
  }),
);
const filter = fc.record({
  text: fc.oneof(fc.constant(""), name),
  service: fc.oneof(fc.constant(""), name),
  area: fc.oneof(fc.constant(""), name),
  level: fc.constantFrom("", ...levels),
  marks: fc.subarray([...marks]),
});

test("every address is read back from its fragment", () => {
  fc.assert(
    fc.property(fc.record({ place, filter }), (address) => {
      expect(addressOf(hashOf(address))).toEqual(address);
    }),
  );
});

test("addresses are made of names a person can read", () => {
  const about = { page: "case", rpc: "alpha.v1.SecretService/GetSecret", id: "version/stale-is-refused" } as const;
  expect(hashOf({ place: about, filter: everything })).toBe(
    "#/case/alpha.v1.SecretService/GetSecret/version/stale-is-refused",
  );
  expect(hashOf({ place: { page: "cases" }, filter: { ...everything, marks: ["violated", "unproven"] } })).toBe(
    "#/cases?outcome=violated,unproven",
  );
  expect(hashOf({ place: { page: "matrix" }, filter: everything })).toBe("#/");
});

test.each(["", "#", "#/", "#/nowhere", "#/rpc", "#/rpc/x", "#/case/a/b", "#/%", "#?x=y", "#/cases?outcome=odd"])(
  "an odd fragment %j leads somewhere, narrowed by nothing",
  (hash) => {
    const { place, filter } = addressOf(hash);
    expect(["matrix", "cases"]).toContain(place.page);
    expect(filter).toEqual(everything);
  },
);
