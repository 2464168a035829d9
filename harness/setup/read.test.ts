import type { Message } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Context, Handler } from "../servers/reference/core/context.ts";
import { failing, openCase, replying } from "./case.testing.ts";
import { current, listRecords, read } from "./read.ts";

const readSession = "beta.v1.SessionService/GetSession";
const readSecret = "alpha.v1.SecretService/GetSecret";

test("a subject is read by its id, with what narrows it", async () => {
  const { context, asked } = await openCase("beta.v1");
  const session = await context.setup.fresh("session");
  expect((await read(context, session)).outcome).toBe("served");
  expect(asked.at(-1)).toMatchObject({
    rpc: "beta.v1.SessionService/GetSession",
    request: { ...context.setup.tenant(), ...session.within, sessionId: session.id },
  });
});

test("a customer user is read by the id it was granted under", async () => {
  const { context } = await openCase("beta.v1");
  const user = await context.setup.fresh("customer_user");
  expect((await current(context, user))?.record).toEqual(user.record);
});

test("what is refused is gone", async () => {
  const { context } = await openCase("beta.v1", { decoration: failing(readSession) });
  expect(await current(context, await context.setup.fresh("session"))).toBeUndefined();
});

test("a reading that failed once is made again", async () => {
  let calls: number | undefined;
  const once = (next: Handler) => (context: Context, request: Message) => {
    if (calls !== undefined) calls += 1;
    return calls === 1 ? Promise.reject(new Error("it fails once for a test")) : next(context, request);
  };
  const { context } = await openCase("beta.v1", { decoration: { handlers: { [readSession]: once } } });
  const session = await context.setup.fresh("session");
  calls = 0;
  expect((await current(context, session))?.id).toEqual(session.id);
  expect(calls).toBe(2);
});

test("a reading that shows nothing says nothing of its subject", async () => {
  const { context } = await openCase("alpha.v1", { decoration: replying(readSecret, () => ({})) });
  await expect(current(context, await context.setup.fresh("secret"))).rejects.toThrow(
    `needs ${readSecret} to show a record`,
  );
});

test("what nothing reads is found in its listing, by what it is narrowed to", async () => {
  const { context } = await openCase("beta.v1");
  const item = await context.setup.fresh("memory_item");
  expect((await current(context, item))?.record).toEqual(item.record);
  const unknown = { ...item, id: context.setup.requestId() };
  expect(await current(context, unknown)).toBeUndefined();
});

test("what nothing shows stays as it is known", async () => {
  const { context } = await openCase("beta.v1");
  const login = await context.setup.fresh("oauth_login_request");
  expect(await current(context, login)).toBe(login);
});

test("a listing is read to its end", async () => {
  const { context } = await openCase("alpha.v1", { decoration: { choices: { defaultPageSize: 2 } } });
  const made = await Promise.all(Array.from({ length: 5 }, () => context.setup.fresh("secret")));
  const listed = await listRecords(context, rpc("alpha.v1.SecretService/ListSecrets"));
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
});
