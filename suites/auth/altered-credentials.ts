import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import type { Attempt } from "../common/refusals.ts";

/** Another character of the same kind, so that what is altered still looks like a key: a hexadecimal digit stays one. */
function otherCharacter(character: string): string {
  const kind = ["0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"].find((one) =>
    one.includes(character),
  );
  return kind?.[(kind.indexOf(character) + 1) % kind.length] ?? "x";
}

/**
 * What a careless comparison takes for a key: the key without its end, with more at its end, as signed tokens have a
 * further part, and with one character changed near the end. Padding of base64 stays where it is; of the last characters some bits may count for nothing, so
 * that they alone are not changed.
 */
export function alterationsOf(token: string): readonly (readonly [how: string, altered: string])[] {
  const [padding = ""] = /=*$/.exec(token) ?? [];
  const body = token.slice(0, token.length - padding.length);
  const place = Math.max(0, body.length - 6);
  return [
    ["cut short", body.slice(0, -4)],
    ["with four characters more", `${body}Aa01${padding}`],
    ["with a further part after a full stop", `${token}.Aa01`],
    [
      "with one character changed",
      `${body.slice(0, place)}${otherCharacter(body[place] ?? "")}${body.slice(place + 1)}${padding}`,
    ],
  ];
}

/** A credential of a kind; undefined where the target file has none. */
async function credentialOf({ row, setup }: CaseContext, kind: CredentialKind, subject: Subject | undefined) {
  try {
    return await setup.credentialOfKind(kind, row, subject);
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

/** Attempts with each kind of credential that the row takes, altered. What happens to be another key of the target is left out. */
export async function alteredAttempts(context: CaseContext, subject: Subject | undefined): Promise<readonly Attempt[]> {
  const known = JSON.stringify(context.target.settings);
  const ofKind = async (kind: CredentialKind): Promise<readonly Attempt[]> => {
    const credential = await credentialOf(context, kind, subject);
    if (credential === undefined) return [];
    return alterationsOf(credential.token).flatMap(([how, token]) => {
      if (token === "" || known.includes(JSON.stringify(token))) return [];
      const as: Credential = { ...credential, label: `${credential.label}, ${how}`, token };
      return [{ because: `it carries a credential of kind ${CredentialKind[kind]} ${how}`, options: { as } }];
    });
  };
  return (await Promise.all(context.row.credentials.map(ofKind))).flat();
}
