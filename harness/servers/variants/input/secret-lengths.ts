import { readField } from "../../reference/core/fields.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** Both references, taking secret values of so many bytes only; what has none is judged with the other fields. */
export function secretsOf(
  id: string,
  { min, max }: { readonly min: number; readonly max: number },
): readonly Variant[] {
  const bounds = `${min} to ${max} bytes`;
  return defineVariants({
    id,
    says: `takes secret values of ${bounds}`,
    open: ["*.open.field-constraints"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          validate(context);
          for (const field of ["value", "plaintextValue"]) {
            const value = readField(context.request, field) as Uint8Array | undefined;
            if (value === undefined || value.length === 0 || (value.length >= min && value.length <= max)) continue;
            refuseFields({ field, description: `is not of ${bounds}` });
          }
        },
      }),
    },
  });
}
