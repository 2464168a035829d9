import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const pages = globSync(["*.md", "docs/**/*.md", ".github/**/*.md"], { cwd: root });

/** Targets of a page's links, those into the web left out: `[path, anchor]`. */
function linksOf(page: string): readonly (readonly [path: string, anchor: string])[] {
  const prose = readFileSync(join(root, page), "utf8").replace(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = "", anchor = ""] = link.split("#");
      return [path === "" ? page : relative(root, resolve(root, dirname(page), path)), anchor] as const;
    });
}

/** What a page's headings are called in links, and other marks to link to. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, page), "utf8");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = ""]) => id)]);
}

test("every link inside the repository leads somewhere", () => {
  const links = pages.flatMap((page) => linksOf(page).map(([path, anchor]) => ({ page, path, anchor })));
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter(
    ({ path, anchor }) => !existsSync(join(root, path)) || (anchor !== "" && !anchorsOf(path).has(anchor)),
  );
  expect(broken.map(({ page, path, anchor }) => `${page} → ${path}${anchor && `#${anchor}`}`)).toEqual([]);
});
