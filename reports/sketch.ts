import type { Browser } from "playwright-core";

/** Columns and rows of a sketch: enough to see what stands where, too few to see letters. */
const [columns, rows] = [48, 48];

/**
 * A picture in a few signs: rows of digits, each how light its part of the picture is, from 0 to z. Kept in place of the picture
 * itself, as it can be read in a diff, and two browsers that draw letters a little differently come to the same.
 *
 * @param png the picture, a PNG
 */
export async function sketchOf(browser: Browser, png: Buffer): Promise<string> {
  const page = await browser.newPage();
  try {
    return await page.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${png.toString("base64")}";
      await image.decode();
      const canvas = new OffscreenCanvas(${columns}, ${rows});
      const context = canvas.getContext("2d");
      // One step at a time: a picture made much smaller at once leaves out most of it.
      let source = image;
      let [width, height] = [image.width, image.height];
      while (width > ${2 * columns} || height > ${2 * rows}) {
        width = Math.max(${columns}, Math.ceil(width / 2));
        height = Math.max(${rows}, Math.ceil(height / 2));
        const half = new OffscreenCanvas(width, height);
        half.getContext("2d").drawImage(source, 0, 0, width, height);
        source = half;
      }
      context.drawImage(source, 0, 0, ${columns}, ${rows});
      const { data } = context.getImageData(0, 0, ${columns}, ${rows});
      const light = (at) => Math.round(((data[at] * 2 + data[at + 1] * 5 + data[at + 2]) / 8 / 255) * 35).toString(36);
      const row = (_, y) => Array.from({ length: ${columns} }, (_, x) => light((y * ${columns} + x) * 4)).join("");
      return Array.from({ length: ${rows} }, row).join("\\n") + "\\n";
    })()`);
  } finally {
    await page.close();
  }
}

const levelsOf = (sketch: string) => [...sketch.replaceAll(/\s/g, "")].map((digit) => Number.parseInt(digit, 36));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * How alike two sketches are: 1 where they are the same, 0 where one says nothing of the other (Pearson's correlation). Of
 * different sizes, or with nothing to see in one of them, 0.
 */
export function likeness(one: string, other: string): number {
  const [a, b] = [levelsOf(one), levelsOf(other)];
  if (a.length !== b.length || a.length === 0) return 0;
  const [meanOfA, meanOfB] = [mean(a), mean(b)];
  const [fromA, fromB] = [a.map((value) => value - meanOfA), b.map((value) => value - meanOfB)];
  const product = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, place) => sum + value * (right[place] ?? 0), 0);
  const spread = Math.sqrt(product(fromA, fromA) * product(fromB, fromB));
  return spread === 0 ? 0 : product(fromA, fromB) / spread;
}
