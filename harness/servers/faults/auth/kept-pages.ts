import { clone, type Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** How long a page is kept, in milliseconds. */
const keptMs = 1000;

/** A request as it stands but for its requestId. */
const questionOf = ({ call: { request } }: Context) => JSON.stringify({ ...request, requestId: null });

const isLaterPage = ({ request }: Context) =>
  ((readField(request, "page") as { readonly cursor?: string } | undefined)?.cursor ?? "") !== "";

const isFiltered = ({ request, row }: Context) =>
  row.filters.some(({ field }) => Boolean(readField(request, field.localName)));

/** Keeps some pages, and gives them to whoever asks the same, after some checks only. */
const keepingPages = (isKept: (context: Context) => boolean, check: (parts: CoreParts, context: Context) => void) =>
  replacing((parts) => {
    const pages = new Map<string, { readonly at: number; readonly reply: Message }>();
    return {
      async pipeline(context, effect) {
        const kept = pages.get(questionOf(context));
        if (kept !== undefined && performance.now() - kept.at < keptMs) {
          check(parts, context);
          return clone(context.row.output, kept.reply);
        }
        const reply = (await parts.pipeline(context, effect)) as Message;
        if (isKept(context)) pages.set(questionOf(context), { at: performance.now(), reply });
        return reply;
      },
    };
  });

function checkCredential(parts: CoreParts, context: Context): void {
  context.principal = parts.authenticate(context);
  parts.authorizeWorkspace(context);
}

/** Pages that are kept for who asks the same, whoever that is. */
export const keptPages: readonly Fault[] = [
  ...faultsAt(["alpha.v1.ArtifactService/ListArtifacts", "alpha.v1.SecretService/ListSecrets"].map(rpc), {
    id: "auth/keeps-later-pages-for-any-key",
    says: "keeps the pages behind the first for a second, and gives them to any key of the workspace",
    breaks: "*.auth.scope",
    decorate: keepingPages(isLaterPage, checkCredential),
  }),
  ...faultsAt(["alpha.v1.JobService/ListJobs", "alpha.v1.WebhookService/ListWebhookDeliveries"].map(rpc), {
    id: "auth/keeps-later-pages-for-anybody",
    says: "keeps the pages behind the first for a second, and gives them to who has no credential",
    breaks: "*.auth.required",
    entails: ["*.auth.scope", "*.isolation.list"],
    decorate: keepingPages(isLaterPage, () => {}),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/ListJobs")], {
    id: "auth/keeps-filtered-pages-for-any-key",
    says: "keeps what is listed by a filter for a second, and gives it to any key of the workspace",
    breaks: "*.auth.scope",
    decorate: keepingPages(isFiltered, checkCredential),
  }),
];
