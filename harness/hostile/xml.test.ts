import { expect, test } from "vitest";
import { junitReport } from "../../reports/junit.ts";
import { sampleResults } from "../../reports/sample.ts";
import { findXmlFlaw } from "./xml.ts";

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';

test("a report is well-formed", () => {
  expect(findXmlFlaw(junitReport(sampleResults()))).toBeUndefined();
});

test.each([
  ["nothing", ""],
  ["no root", head],
  ["two roots", `${head}<a/><b/>`],
  ["an open element", `${head}<a><b></b>`],
  ["crossed elements", `${head}<a><b></a></b>`],
  ["a bare ampersand", `${head}<a>x & y</a>`],
  ["a bare bracket", `${head}<a>x < y</a>`],
  ["an escape character", `${head}<a>\u001b</a>`],
  ["an escape character in an attribute", `${head}<a b="\u001b"/>`],
  ["a lone surrogate", `${head}<a>\ud800</a>`],
  ["a quote in an attribute", `${head}<a b="c"d"/>`],
])("%s is not", (_, text) => {
  expect(findXmlFlaw(text)).toEqual(expect.any(String));
});
