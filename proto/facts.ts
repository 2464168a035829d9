import { type DescEnum, type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import {
  type FieldFacts,
  field as fieldOption,
  type MessageFacts,
  message as messageOption,
  type StateFacts,
  state as stateOption,
} from "./gen/contract/v1/options_pb.js";

/** Reads an option once: reading one is slow. */
function once<K extends object, V>(read: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly facts: V }>();
  return (key) => {
    const found = known.get(key) ?? { facts: read(key) };
    known.set(key, found);
    return found.facts;
  };
}

/** Facts of one field; all false or empty where the contract states none. */
export const factsOf: (field: DescField) => FieldFacts = once((field) => getOption(field, fieldOption));

/** Facts of the records a message is of; undefined where it is no record of a resource. */
export const recordFactsOf: (message: DescMessage) => MessageFacts | undefined = once((message) =>
  hasOption(message, messageOption) ? getOption(message, messageOption) : undefined,
);

/** The kind of resource a message is a record of, or undefined. */
export function resourceOf(message: DescMessage): string | undefined {
  return recordFactsOf(message)?.resource;
}

/** Facts of the states of an enumeration, by name; empty where it is none of states. */
export const statesOf: (type: DescEnum) => ReadonlyMap<string, StateFacts> = once((type) => {
  const states = type.values.filter((value) => hasOption(value, stateOption));
  return new Map(states.map((value) => [value.name, getOption(value, stateOption)]));
});

/** The field of a message that holds a state, or undefined. */
export function stateFieldOf(message: DescMessage): DescField | undefined {
  return message.fields.find(({ enum: type }) => type !== undefined && statesOf(type).size > 0);
}
