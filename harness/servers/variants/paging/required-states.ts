import { readField } from "../../reference/core/fields.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** Listings of one state at a time. */
export const requiredStateVariants: readonly Variant[] = [
  ...defineVariants({
    id: "state-required",
    says: "refuses a listing that can be filtered by state, and is not",
    open: ["*.open.required-fields"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          validate(context);
          for (const { name, field } of context.row.filters) {
            if (field.fieldKind !== "enum" || readField(context.request, field.localName) !== 0) continue;
            refuseFields({ field: name, description: "is required" });
          }
        },
      }),
    },
  }),
];
