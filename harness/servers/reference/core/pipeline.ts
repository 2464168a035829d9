import type { Context, Reply } from "./context.ts";

/**
 * Every call takes these steps, in this order. The subject is looked for only once the request is known to be new, so
 * that a repeated delete is answered as before. Subject, version and effect follow in one go: nothing can come between.
 */
export async function runPipeline(context: Context, effect: () => Reply | Promise<Reply>): Promise<Reply> {
  const { parts } = context.world;
  context.principal = parts.authenticate(context);
  context.call.principal = context.principal;
  parts.authorizeKind(context);
  parts.authorizeScope(context);
  parts.authorizeWorkspace(context);
  parts.authorizeApp(context);
  parts.authorizeUser(context);
  parts.admit(context);
  parts.validate(context);
  return await parts.idempotent(context, () => {
    context.subject = parts.findSubject(context);
    parts.checkVersion(context);
    return effect();
  });
}
