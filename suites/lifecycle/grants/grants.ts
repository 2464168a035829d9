import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { sameValue } from "../../../harness/oracles/agreement.ts";
import { sameDocument } from "../../../harness/oracles/documents.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";

/** A whole second `hours` from now: finer times may be rounded, and later ones than are usual refused. */
export const inHours = (hours: number) => new Date(Math.trunc(Date.now() / 1000 + hours * 3600) * 1000).toISOString();

const document = (value: string) => Buffer.from(value).toString("base64");

/** Judges that a reply's grant shows these fields; the clause is the case's first unless another is named. */
export function judgeFields(
  { judge }: CaseContext,
  reply: Reply,
  read: Reply,
  fields: JsonObject,
  clause?: string,
): void {
  const record = recordIn(read);
  for (const [name, expected] of Object.entries(fields)) {
    const shown = record[name];
    judge(reply, clause, reply === read ? [] : [read]).satisfies(
      read.outcome === "served" &&
        (sameValue(shown, expected) || (name.endsWith("Json") && sameDocument(shown, expected))),
      `${name} ${showJson(expected)}, as given`,
      read.outcome === "served" ? showJson(shown) : describeReply(read),
      `customerUserGrant.${name}`,
    );
  }
}

/** Fields of a grant, each different from the default of the suite. */
function grantOf({ target }: CaseContext): JsonObject {
  return {
    attributesJson: document('{"tier":"gold","seats":[1,2,{"café":null}]}'),
    allowedToolIds: target.beta.toolIds.slice(0, 1).map((value) => ({ value })),
    registeredOrigins: ["https://shop.hallmark.invalid:8443", "https://localhost:3000"],
    expiresAt: inHours(20),
    allowedBrowserTokenScopes: ["sessions:read", "memory:write", "voice:connect"],
  };
}

export const creation = defineCase({
  id: "lifecycle/grant-stores-its-fields",
  says: "a grant stores the scopes, origins, tools, expiry and attributes it was created with",
  clauses: ["beta.grants.holds", "beta.grants.forms", "beta.records.echo"],
  rpc: "beta.v1.CustomerUserService/CreateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, needs } = context;
    const { attributesJson = "", ...bounds } = grantOf(context);
    const request = { ...(await setup.request(row, undefined)), ...bounds, attributesJson };
    const made = await call(row, request);
    needs(made);
    const read = await setup.read(setup.subjectIn(made));
    needs(read);
    const { registeredOrigins = [], allowedBrowserTokenScopes = [], ...others } = bounds;
    for (const reply of [made, read]) {
      judgeFields(context, reply, reply, others);
      judgeFields(context, reply, reply, { registeredOrigins, allowedBrowserTokenScopes }, "beta.grants.forms");
      judgeFields(context, reply, reply, { attributesJson }, "beta.records.echo");
    }
    // Fields that the reply showed but the server did not store.
    judgeFields(context, made, read, bounds);
  },
});

/** Sizes of attributes, in bytes, the largest that is taken of which is tried: past what 16 bits count, and less. */
const attributeSizes = [70_000, 20_000, 5000, 1000];

export const largeAttributes = defineCase({
  id: "lifecycle/large-attributes-are-kept-whole",
  says: "large attributes of a grant, where they are taken, are shown as they were given, by the reply and by a read",
  clauses: ["beta.records.echo", "beta.records.agree", "beta.open.field-constraints"],
  rpc: "beta.v1.CustomerUserService/CreateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, needs, observe } = context;
    for (const size of attributeSizes) {
      const attributesJson = document(JSON.stringify({ note: "x".repeat(size), last: "z" }));
      const made = await call(row, { ...(await setup.request(row, undefined)), attributesJson });
      if (made.outcome !== "served") continue;
      const read = await setup.read(setup.subjectIn(made));
      needs(read);
      judgeFields(context, made, made, { attributesJson }, "beta.records.echo");
      judgeFields(context, read, read, { attributesJson }, "beta.records.agree");
      return;
    }
    observe("*.open.field-constraints", `takes no attributes of ${attributeSizes.at(-1)} bytes`);
    throw new ChosenOtherwise("no large attributes are taken");
  },
});

export const forms = defineCase({
  id: "lifecycle/grant-origins-and-scopes-are-accepted",
  says: "origins of the form scheme://host:port and scopes of the form area:action are accepted and shown unchanged",
  clauses: ["beta.grants.forms", "beta.open.grant-forms"],
  rpc: "beta.v1.CustomerUserService/CreateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    // Of one scheme, and with ports that are not its usual one: which schemes are registered is not shown, nor whether the
    // usual port is kept (docs/contract/readings.md#30).
    const origins = [
      "https://a.hallmark.invalid:8443",
      "https://localhost:3000",
      "https://xn--caf-dma.hallmark.invalid:65535",
    ];
    const scopes = ["approvals:read", "approvals:write", "runs:payload", "voice:connect"];
    const request = await setup.request(row, undefined);
    const made = await call(row, { ...request, registeredOrigins: origins, allowedBrowserTokenScopes: scopes });
    if (!judge(made).isServed()) return;
    judgeFields(context, made, made, { registeredOrigins: origins, allowedBrowserTokenScopes: scopes });
    const odd: readonly JsonObject[] = [
      { registeredOrigins: ["http://plain.hallmark.invalid:8080"] },
      { registeredOrigins: ["https://usual.hallmark.invalid:443"] },
      { registeredOrigins: ["https://no-port.hallmark.invalid"] },
      { registeredOrigins: ["https://path.hallmark.invalid:443/app"] },
      { registeredOrigins: ["*"] },
      { allowedBrowserTokenScopes: ["sessions"] },
      { allowedBrowserTokenScopes: ["unheard:of"] },
    ];
    for (const changes of odd) {
      const reply = await call(row, { ...(await setup.request(row, undefined)), ...changes });
      observe("beta.open.grant-forms", `${showJson(changes)} is ${reply.outcome}`);
    }
  },
});

/** Names of the fields that a read of a grant does not show as they were given. */
async function notShown({ setup }: CaseContext, user: Subject, given: JsonObject): Promise<ReadonlySet<string>> {
  const record = (await setup.current(user))?.record ?? given;
  const names = Object.keys(given);
  return new Set(
    names.filter((name) => !sameValue(record[name], given[name]) && !sameDocument(record[name], given[name])),
  );
}

/**
 * Updates a grant at its current version, and judges a read afterwards. Of fields that reads did not show before any
 * update, `hidden`, the read itself is at fault. Returns the updated grant.
 */
async function judgeUpdate(
  context: CaseContext,
  user: Subject,
  fields: JsonObject,
  hidden: ReadonlySet<string>,
): Promise<Subject> {
  const { row, setup, call, needs } = context;
  const now = (await setup.current(user)) ?? user;
  const update = await call(row, { ...(await setup.request(row, now)), ...fields });
  needs(update);
  const read = await setup.read(user);
  needs(read);
  const { customerUserId = null, externalUserId = "", createdAt = "" } = user.record;
  judgeFields(context, update, update, fields);
  for (const [name, value] of Object.entries(fields)) {
    judgeFields(context, hidden.has(name) ? read : update, read, { [name]: value });
  }
  judgeFields(context, update, read, { customerUserId, externalUserId, createdAt }, "beta.records.agree");
  return { ...user, record: { ...recordIn(read), ...fields } };
}

export const update = defineCase({
  id: "lifecycle/grant-update-changes-only-what-it-sets",
  says: "an update changes each field of the grant that it sets, and leaves the user and the other fields unchanged",
  clauses: ["beta.grants.holds", "beta.records.agree"],
  rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  async run(context) {
    const first = grantOf(context);
    const tools = context.target.beta.toolIds.map((value) => ({ value }));
    let user = await grantUser(context, first);
    const changes: readonly JsonObject[] = [
      { attributesJson: document('{"another":["kind","of document"]}') },
      { registeredOrigins: ["https://moved.hallmark.invalid:9443"] },
      { expiresAt: inHours(22) },
      { allowedBrowserTokenScopes: ["secrets:read", "runs:write"] },
      { allowedToolIds: tools },
      // Fewer than before, where there are several: that none at all are sent may leave them as they are.
      ...(tools.length > 1 ? [{ allowedToolIds: tools.slice(-1) }] : []),
    ];
    let fields = first;
    const hidden = await notShown(context, user, first);
    for (const change of changes) {
      // What is stored already a server may see nothing to change in.
      if (Object.entries(change).every(([name, value]) => sameJson(fields[name], value))) continue;
      fields = { ...fields, ...change };
      user = await judgeUpdate(context, user, fields, hidden);
    }
  },
});
