type Theme = "light" | "dark";

const key = "hallmark-theme";
const root = document.documentElement;

/** Takes up the theme a reader chose before, if the browser lets a file keep it. */
export function applySavedTheme(): void {
  try {
    const saved = localStorage.getItem(key);
    if (saved === "light" || saved === "dark") root.dataset.theme = saved;
  } catch {
    // A file in a sandbox has no storage: the theme of the system stands.
  }
}

/** Turns light to dark and back, and returns what it is now. */
export function switchTheme(): Theme {
  const next: Theme = currentTheme() === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  try {
    localStorage.setItem(key, next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  return next;
}

function currentTheme(): Theme {
  const { theme } = root.dataset;
  if (theme === "light" || theme === "dark") return theme;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
