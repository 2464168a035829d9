import { type DescEnum, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { plantForm } from "./forms-operator.ts";
import type { FieldSite } from "./replies-walk.ts";

const isLong = ({ scalar }: FieldSite) => scalar === ScalarType.INT64 || scalar === ScalarType.UINT64;
const isEnum = (site: FieldSite) => site.enum !== undefined;

const text = (value: JsonValue) => String(value);

/** The number of an enum's value by its name; 0 for a name it does not declare. */
function numberOf(type: DescEnum | undefined, name: JsonValue): number {
  return type?.values.find((one) => one.name === name)?.number ?? 0;
}

/** What the names of an enum's values begin with: `JOB_STATE_`. */
function prefixOf(type: DescEnum | undefined): string {
  return type?.values[0]?.name.replace(/UNSPECIFIED$/, "") ?? "";
}

/** Numbers, enums, bools and strings in another form. */
export const valueForms: readonly Fault[] = [
  ...plantForm({
    name: "int64-as-number",
    as: "a number",
    breaks: "*.wire.int64",
    fits: isLong,
    change: () => Number,
    unset: 0,
  }),
  ...plantForm({
    name: "uint32-as-string",
    as: "a string",
    breaks: "*.wire.u32",
    fits: ({ scalar }) => scalar === ScalarType.UINT32,
    change: () => text,
    unset: "0",
  }),
  ...plantForm({
    name: "bool-as-string",
    as: "a string",
    breaks: "json.reply.scalars",
    fits: ({ scalar }) => scalar === ScalarType.BOOL,
    change: () => text,
    unset: "false",
  }),
  ...plantForm({
    name: "string-as-number",
    as: "a number",
    breaks: "json.reply.scalars",
    fits: ({ scalar }) => scalar === ScalarType.STRING,
    change: () => (value) => text(value).length,
    unset: 0,
  }),
  ...plantForm({
    name: "enum-as-number",
    as: "its number",
    breaks: "*.wire.enum",
    fits: isEnum,
    change: (site) => (value) => numberOf(site.enum, value),
    unset: 0,
  }),
  ...plantForm({
    name: "enum-without-prefix",
    as: "a name without its prefix",
    breaks: "*.wire.enum",
    fits: isEnum,
    change: (site) => (value) => text(value).replace(prefixOf(site.enum), ""),
    sparse: true,
  }),
  ...plantForm({
    name: "enum-undeclared",
    as: "a name that is not declared",
    breaks: "*.wire.enum",
    fits: isEnum,
    change: (site) => () => `${prefixOf(site.enum)}SOMETHING_ELSE`,
    sparse: true,
  }),
];
