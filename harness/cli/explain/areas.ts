/** Why an area is asked about, and what servers get wrong there most often. */
interface AreaNote {
  readonly why: string;
  readonly causes: readonly string[];
}

/** Notes by area, for `hallmark explain`. */
import type { Area } from "../../case/area.ts";
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
    why: "A call that is let in without the right credential is somebody else's data.",
    causes: [
      "a scope checked on some methods of a service and forgotten on the next",
      "the check made after the effect, or after the stream has begun",
    ],
  },
  isolation: {
    why: "Tenants share the service; the contract keeps what is theirs from each other.",
    causes: [
      "a lookup by id alone, with the tenant of the request left out of the query",
      "a cursor or reference that is trusted because the server itself once gave it out",
    ],
  },
  input: {
    why: "Clients of other languages spell the same request in other ways, and broken ones send nonsense: both must end as the contract says.",
    causes: [
      "validation in one method only, or only of the fields a client library sets",
      "an unexpected value that ends as a server error in place of a refusal",
    ],
  },
  idempotency: {
    why: "A client that got no reply sends its request again; whether that acts twice is the contract's to say.",
    causes: [
      "the request id remembered after the effect, so that a parallel repetition slips through",
      "ids remembered across tenants or methods",
    ],
  },
  version: {
    why: "The expected version keeps a writer from overwriting what it has not seen.",
    causes: [
      "read, compare and write without a transaction around them",
      "a comparison in a narrower number than the contract's, or only where the version is not zero",
    ],
  },
  paging: {
    why: "A client that turns the pages to the end takes what it saw for everything there is.",
    causes: ["a cursor made of a position that moves when records come and go", "an order without a tie-breaker"],
  },
  stream: {
    why: "Watchers replace polling only where every change arrives, once, in order, and where they can pick up after a cut.",
    causes: [
      "changes between the snapshot and the subscription are lost",
      "resumption that includes, or skips, the position it was given",
    ],
  },
  lifecycle: {
    why: "What a call answers, what a later reading shows and what the states allow have to be one story.",
    causes: [
      "a reply written from the request in place of the stored record",
      "a state that is left once it was final",
    ],
  },
  secrecy: {
    why: "Secrets are written, never read back; what leaks into a log, an error or a listing cannot be taken back.",
    causes: ["the stored record serialized whole", "the request repeated in an error message"],
  },
  events: {
    why: "Receivers of deliveries act on them unattended: form, signature and repetition must be what they were built for.",
    causes: [
      "a signature over another body than the one sent",
      "an event sent before its change is committed, or to an endpoint that was switched off",
    ],
  },
};
