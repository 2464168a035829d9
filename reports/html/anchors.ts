/** Addresses inside the report. They are made of names, so that a link keeps its meaning from run to run. */

/** `alpha.v1.SecretService/GetSecret` */
export function rpcAnchor(rpc: string): string {
  return safe(rpc);
}

/** `alpha.v1.SecretService/GetSecret@version` */
export function areaAnchor(rpc: string, area: string): string {
  return safe(`${rpc}@${area}`);
}

/** `alpha.v1.SecretService/GetSecret:version/stale-is-refused`; what a borrowed case is about follows it. */
export function entryAnchor(entry: {
  readonly rpc: string;
  readonly case: { readonly id: string; readonly rpc: string };
}): string {
  const about = entry.case.rpc === entry.rpc ? "" : `~${entry.case.rpc}`;
  return safe(`${entry.rpc}:${entry.case.id}${about}`);
}

/** An id that needs no escaping in a fragment. */
function safe(name: string): string {
  return name.replaceAll(/[^\w./@:~-]+/g, "_");
}
