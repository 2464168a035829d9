import { isReadOnly, rpcs } from "../../../../proto/rpcs.ts";
import { defineVariants, type Variant } from "../variant.ts";

const reads = new Set(rpcs.filter((row) => isReadOnly(row) && !row.stream).map(({ path }) => path));
const messageHeader = "x-message-of-get";

/** HTTP GET. */
export const getVariants: readonly Variant[] = defineVariants({
  id: "reads-by-get",
  says: "serves what changes nothing by GET as well",
  open: ["connect.get"],
  decoration: {
    raw(request, _response, next) {
      const url = new URL(request.url ?? "/", "http://localhost");
      const message = url.searchParams.get("message");
      if (request.method === "GET" && reads.has(url.pathname) && message !== null) {
        request.method = "POST";
        request.url = url.pathname;
        request.headers["content-type"] = "application/json";
        request.headers[messageHeader] = encodeURIComponent(message);
      }
      next();
    },
    requestBytes(bytes, call) {
      const message = call.headers[messageHeader];
      return message === undefined ? bytes : Buffer.from(decodeURIComponent(message));
    },
  },
});
