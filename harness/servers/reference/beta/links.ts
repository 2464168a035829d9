import type { IncomingMessage, ServerResponse } from "node:http";
import { pendingApproval } from "./decisions.ts";
import type { BetaWorld, HostedLink } from "./world.ts";

const path = /^\/approvals\/(\w+)$/;

/** Issues the address of a page that shows what a run waits for. */
export function issueLink(world: BetaWorld, origin: string, link: HostedLink): string {
  const token = world.random.token(40);
  world.links.set(token, link);
  return `${origin}/approvals/${token}`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The page of a run: what is asked of its user, or that nothing is. */
function pageOf(world: BetaWorld, link: HostedLink): string | undefined {
  const run = world.tables.run.find(link.runId)?.record;
  if (run === undefined) return undefined;
  const approval = pendingApproval(world, run);
  const { appDisplayName = "", toolName = "", destination = "" } = approval?.target ?? {};
  const said =
    approval === undefined
      ? "Nothing is waiting for your decision."
      : `${appDisplayName} asks to use ${toolName} at ${destination}.`;
  return `<!doctype html><html lang="en"><title>Approval</title><h1>Approval</h1><p>${escapeText(said)}</p></html>\n`;
}

/** Serves a hosted approval page. Returns false where the path is not one of those. */
export function serveLink(world: BetaWorld, request: IncomingMessage, response: ServerResponse): boolean {
  const token = path.exec(request.url ?? "")?.[1];
  if (token === undefined) return false;
  request.resume();
  const link = world.links.get(token);
  const page = link !== undefined && link.until > world.clock.now() ? pageOf(world, link) : undefined;
  const allowed = request.method === "GET" || request.method === "HEAD";
  const body = allowed ? (page ?? "This link is not, or no longer, good.\n") : "This page can only be looked at.\n";
  const status = allowed ? (page === undefined ? 404 : 200) : 405;
  response
    .writeHead(status, {
      "content-type": page === undefined || !allowed ? "text/plain; charset=utf-8" : "text/html; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
    })
    .end(request.method === "HEAD" ? undefined : body);
  return true;
}
