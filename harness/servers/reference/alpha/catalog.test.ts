import { expect, test } from "vitest";
import { startClient } from "../test-client.ts";

test("the catalog lists what it gets, page by page", async () => {
  const client = await startClient();
  const { miniAppIds } = client.reference.facts;
  const list = await client.call("CatalogService/ListMiniApps");
  expect(Array.from(list.json.miniApps as never, ({ id }) => id)).toEqual(miniAppIds);
  expect(miniAppIds.length).toBeGreaterThanOrEqual(3);
  for (const [index, miniAppId] of miniAppIds.entries()) {
    const read = await client.call("CatalogService/GetMiniApp", { miniAppId });
    expect(read.json.miniApp).toEqual(list.json.miniApps?.[index]);
  }
  const page = await client.call("CatalogService/ListMiniApps", { page: { pageSize: 2 } });
  expect(page.json.miniApps).toHaveLength(2);
  expect((await client.call("CatalogService/GetMiniApp", { miniAppId: "none" })).reason).toBe("RESOURCE_NOT_FOUND");
});
