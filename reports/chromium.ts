import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

/** Keeps the browser from talking to anybody, and from asking anything at its first start. */
const args = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-gpu",
  // A container's shared memory is small, and a page that does not fit into it never shows.
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the Chromium on the PATH, for the tests of reports. Rejects with one sentence where there is none. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "chromium"))
    .find(isExecutable);
  if (executablePath === undefined)
    throw new Error(
      "the report is tested in Chromium, and there is no `chromium` on the PATH: install the package of that name",
    );
  return chromium.launch({ executablePath, args });
}

/**
 * Keeps a picture of what a page shows, as `NAME.png` in the folder that HALLMARK_PICTURES names: CI keeps it for people to look
 * at. Without the variable it is made all the same, and let go.
 *
 * @returns the picture, a PNG
 */
export async function takePicture(page: Page, name: string): Promise<Buffer> {
  const { HALLMARK_PICTURES: folder } = process.env;
  return page.screenshot(folder === undefined ? {} : { path: join(folder, `${name}.png`) });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
