import { readField } from "../../reference/core/fields.ts";
import { Refusal, refuseFields } from "../../reference/core/refusal.ts";
import { defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

/** The violations of ids alone, where there are such. */
const idsFirst = (field: string) => /(?:^requestId|Ids?)(?:\.value)?$/.test(field);

/** How strictly a request is looked at, and in which order. */
export const strictnessVariants: readonly Variant[] = [
  ...defineVariants({
    id: "violations-by-stage",
    says: "looks at the ids of a request first, and names what else is wrong once they are right",
    open: ["*.open.error-codes", "*.open.field-constraints"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          try {
            validate(context);
          } catch (error) {
            const first = error instanceof Refusal ? error.violations.filter(({ field }) => idsFirst(field)) : [];
            if (first.length > 0) refuseFields(...first);
            throw error;
          }
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "first-violation-only",
    says: "checks a request field by field, and names the first that offends",
    open: ["beta.open.every-violation"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          try {
            validate(context);
          } catch (error) {
            const [first] = error instanceof Refusal ? error.violations : [];
            if (first !== undefined) refuseFields(first);
            throw error;
          }
        },
      }),
    },
  }),
  ...defineVariants({
    id: "unknown-states-refused",
    says: "refuses to list by a state that is not declared",
    open: ["*.open.field-constraints"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          validate(context);
          for (const { name, field } of context.row.filters) {
            const value = readField(context.request, field.localName);
            if (field.fieldKind !== "enum" || field.enum.values.some(({ number }) => number === value)) continue;
            refuseFields({ field: name, description: "is no state" });
          }
        },
      }),
    },
  }),
];
