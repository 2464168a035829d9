import type { RefObject } from "preact";

const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "look for a text"],
  ["m  f  c  o", "matrix, failures, cases, observations"],
  ["j  k", "next and previous case of the list you came from"],
  ["u", "from a case to its RPC, from an RPC to the matrix"],
  ["arrow keys", "move within the matrix"],
  ["t", "light or dark"],
  ["?", "this list"],
];

/** What the keys do. */
export function Help({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split("  ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
