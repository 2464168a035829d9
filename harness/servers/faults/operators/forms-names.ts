import type { Fault } from "../fault.ts";
import { firstOfMessage } from "./forms-operator.ts";
import { applyOperator } from "./operator.ts";
import { changedParent } from "./replies-plant.ts";
import { shownFields } from "./replies-shown.ts";

const renamed = shownFields().filter(({ field, element }) => !element && field.jsonName !== field.name);

/** A field of each message under the name the protobuf file of a server gives it, rather than in camelCase. */
export const snakeCaseFields: readonly Fault[] = applyOperator({
  name: "snake-case",
  area: "wire",
  says: ({ at, field }) => `names the field ${at} ${field.name}`,
  breaks: "*.wire.camel-case",
  sites: firstOfMessage(renamed),
  plant: (site) =>
    changedParent(site, (parent) => {
      const { [site.field.jsonName]: value, ...others } = parent;
      return value === undefined ? parent : { ...others, [site.field.name]: value };
    }),
});
