import type { Area } from "./area.ts";

/** Why an area is asked about, and what servers get wrong there most often. */
interface AreaNote {
  readonly why: string;
  readonly causes: readonly string[];
}

/** Notes by area, for `hallmark explain` and the page of a case. */
export const areaNotes: Readonly<Record<Area, AreaNote>> = {
  wire: {
    why: "Clients read replies with code generated from the contract: one field in another form, and the whole reply is lost to them.",
    causes: [
      "a hand-written serializer in place of a ProtoJSON library",
      "64-bit numbers written as JSON numbers, times in local form, enumerations by number",
    ],
  },
  transport: {
    why: "Stock Connect clients decide by status, content type and envelope what a reply is, before they look into it.",
    causes: [
      "a proxy or framework that answers errors in its own form before the service sees the call",
      "a stream without its end-stream envelope, or an error given as HTTP status where the stream has begun",
    ],
  },
  auth: {
    why: "A call that is accepted without the right credential exposes another tenant's data.",
    causes: [
      "a scope checked on some methods of a service and forgotten on the next",
      "the check made after the effect, or after the stream has begun",
    ],
  },
  isolation: {
    why: "Tenants share the service; the contract keeps the data of each from the others.",
    causes: [
      "a lookup by id alone, with the tenant of the request left out of the query",
      "a cursor or id that is trusted because the server itself once issued it",
    ],
  },
  input: {
    why: "Clients in other languages write the same request as other JSON, and broken clients send malformed requests: the contract says how both are answered.",
    causes: [
      "validation in one method only, or only of the fields a client library sets",
      "an unexpected value that ends as a server error in place of a refusal",
    ],
  },
  idempotency: {
    why: "A client that got no reply sends its request again; the contract says whether that takes effect twice.",
    causes: [
      "the requestId stored after the effect, so that a concurrent replay slips through",
      "requestIds shared by tenants or methods",
    ],
  },
  version: {
    why: "The expected version keeps a client from overwriting a change it has not seen.",
    causes: [
      "read, compare and write without a transaction around them",
      "a comparison in a narrower number than the contract's, or only where the version is not zero",
    ],
  },
  paging: {
    why: "A client that reads all pages takes what it saw for everything there is.",
    causes: [
      "a cursor that is a position, which shifts when records are created or deleted",
      "an order without a tie-breaker",
    ],
  },
  stream: {
    why: "Watchers replace polling only where every change arrives, once, in order, and where they can pick up after a cut.",
    causes: [
      "changes between the snapshot and the subscription are lost",
      "resumption that includes, or skips, the position it was given",
    ],
  },
  lifecycle: {
    why: "What a call returns, what a later read shows and what the states allow must be consistent.",
    causes: ["a reply built from the request in place of the stored record", "a final state that is left again"],
  },
  secrecy: {
    why: "Secrets are write-only; one that leaks into a log, an error or a listing cannot be taken back.",
    causes: ["the stored record serialized whole", "the request echoed in an error message"],
  },
  events: {
    why: "Receivers of deliveries act on them unattended: form, signature and repetition must be what they were built for.",
    causes: [
      "a signature over another body than the one sent",
      "an event sent before its change is committed, or to an endpoint that was switched off",
    ],
  },
};
