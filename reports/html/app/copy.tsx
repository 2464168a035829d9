import { useEffect, useRef, useState } from "preact/hooks";

interface CopyProps {
  /** What is copied: the text, or how to come by it. */
  readonly text: string | (() => string);
  /** What it is called: `replay`. */
  readonly of: string;
  readonly children?: string;
}

const shownMs = 1600;

/** A button that copies, and says so. Where the page has no clipboard it says that instead. */
export function Copy({ text, of, children = "Copy" }: CopyProps) {
  const [said, setSaid] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setSaid((await write(typeof text === "string" ? text : text())) ? "Copied" : "No clipboard here");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(undefined), shownMs);
  };
  return (
    <button type="button" class="copy" aria-label={children === "Copy" ? `Copy ${of}` : undefined} onClick={copy}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** The older way, for pages that are not served over HTTPS: through a field that is selected and copied. */
function writeBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/** A command in one line that scrolls, with its button. */
export function Command({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="command">
      <span class="label">{label}</span>
      <code>{text}</code>
      <Copy text={text} of={label} />
    </div>
  );
}
