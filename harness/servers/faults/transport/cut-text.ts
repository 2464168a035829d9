import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** Decodes each byte of a body that comes without its length on its own: what is no ASCII is lost. */
const decodingPieces = ({ name }: RpcRow): WireHooks => ({
  requestBody: (body, call) =>
    call.rpc === name && call.headers["content-length"] === undefined
      ? Buffer.from([...body].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join(""))
      : body,
});

/** A character that is split over two pieces of a body is corrupted. */
export const decodedInPieces: readonly Fault[] = faultsAt(
  [
    "alpha.v1.ArtifactService/CreateArtifactUpload",
    "alpha.v1.SecretService/CreateSecret",
    "alpha.v1.WebhookService/UpdateWebhookEndpoint",
    "beta.v1.CustomerSecretService/CreateSecret",
  ].map(rpc),
  {
    id: "transport/decodes-text-piece-by-piece",
    says: "decodes the text of a request piece by piece, whatever characters it is cut in",
    breaks: "json.request.equivalent",
    decorate: decodingPieces,
  },
);
