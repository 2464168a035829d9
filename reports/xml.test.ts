import { expect, test } from "vitest";
import { element, escapeText } from "./xml.ts";

test("escapes markup and keeps every character XML allows", () => {
  expect(escapeText('<a> & "b" ]]> \t\n 漢字 🦊 \ue000 \ufffd')).toBe(
    '&lt;a&gt; &amp; "b" ]]&gt; \t\n 漢字 🦊 \ue000 \ufffd',
  );
});

test("replaces every character XML 1.0 cannot hold", () => {
  expect(escapeText("\u0000\u0008\u000b\u001b\ud800x\udc00\ufffe\uffff")).toBe(
    "\ufffd\ufffd\ufffd\ufffd\ufffdx\ufffd\ufffd\ufffd",
  );
});

test("writes attributes that keep their white space, and leaves out undefined ones", () => {
  expect(element("a", { b: 'x"\n\t\r<', c: 0, d: undefined })).toBe('<a b="x&quot;&#10;&#9;&#13;&lt;" c="0"/>');
  expect(element("a", {}, [element("b", {}), "t"])).toBe("<a><b/>t</a>");
});
