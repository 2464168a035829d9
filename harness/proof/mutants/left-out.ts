import type { babel } from "@stryker-mutator/instrumenter";
import { alphaChoices } from "../../servers/reference/alpha/choices.ts";
import { betaChoices } from "../../servers/reference/beta/choices.ts";

/** Why source is not mutated: what changes there is nothing that the contract speaks of. */
export const reasons = {
  message: "the text of an error or of a violation is open (*.open.messages)",
  throw: "the text of an error thrown inside never leaves the service",
  choice: "the reference chooses otherwise, before and after",
} as const;

/** Files that are no behaviour of the reference: what tests use, certificates of HTTPS variants, what hands it to a run. */
export function isLeftOut(file: string): boolean {
  const beside = ["certificate.ts", "embedded.ts", "target-file.ts", "main.ts"];
  return /(\.test|\.testing|test-client)\.ts$/.test(file) || beside.includes(file);
}

/** Functions whose arguments from this place on are texts for people. */
const speakers: Readonly<Record<string, number>> = { refuse: 1, Refusal: 1, answer: 3, violate: 1, ConnectError: 0 };

function nameOfCallee(node: babel.NodePath["node"]): string | undefined {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return undefined;
  return node.callee.type === "Identifier" ? node.callee.name : undefined;
}

/** Whether a node is a text, made of literals. */
function isText({ node }: babel.NodePath): boolean {
  return node.type === "StringLiteral" || node.type === "TemplateLiteral";
}

const choices: Readonly<Record<string, unknown>> = { ...alphaChoices, ...betaChoices };

/** What the reference chooses is one thing: packages that share a choice make the same. */
function isOneChoice(name: string): boolean {
  const [alpha, beta] = [alphaChoices, betaChoices] as unknown as readonly (typeof choices)[];
  return name in choices && (alpha?.[name] === beta?.[name] || !(name in (alpha ?? {}) && name in (beta ?? {})));
}

/** The choice an expression reads, `world.choices.deleted`; undefined for any other. */
function choiceRead(node: babel.NodePath["node"]): string | undefined {
  if (node.type !== "MemberExpression" || node.property.type !== "Identifier") return undefined;
  const { object, property } = node;
  const holder = object.type === "MemberExpression" ? object.property : object;
  return holder.type === "Identifier" && holder.name === "choices" ? property.name : undefined;
}

/** Whether a text is a choice that the reference does not make: it is as unlike the one it makes as any other text. */
function isOtherChoice({ node, parent }: babel.NodePath): boolean {
  if (node.type !== "StringLiteral" || parent?.type !== "BinaryExpression" || parent.right !== node) return false;
  const name = choiceRead(parent.left);
  return name !== undefined && isOneChoice(name) && choices[name] !== node.value;
}

/** The written rule that leaves a node out, all below it with it; undefined where none does. */
export function ruleFor(path: babel.NodePath): string | undefined {
  const { parent } = path;
  if (isOtherChoice(path)) return reasons.choice;
  if (parent?.type === "ObjectProperty" && parent.value === path.node && parent.key.type === "Identifier") {
    if (parent.key.name === "description" && isText(path)) {
      return path.parentPath?.parentPath?.parent.type === "CallExpression" ? reasons.message : undefined;
    }
  }
  const callee = parent === undefined || parent === null ? undefined : nameOfCallee(parent);
  if (callee === undefined || typeof path.key !== "number" || path.listKey !== "arguments" || !isText(path)) {
    return undefined;
  }
  if (/^\w*Error$/.test(callee) && callee !== "ConnectError") return reasons.throw;
  const from = speakers[callee];
  return from !== undefined && path.key >= from ? reasons.message : undefined;
}

const comparison = /^(?:\w+\??\.)*choices\.(\w+) (===|!==) "([^"]*)"$/;

/** Whether a comparison of a choice comes to what it comes to anyway: the reference chooses one thing, of several. */
export function isChosenAnyway(original: string, replacement: string): boolean {
  const [, name = "", operator, literal] = comparison.exec(original) ?? [];
  if (!isOneChoice(name)) return false;
  const holds = (choices[name] === literal) === (operator === "===");
  return replacement === String(holds);
}
