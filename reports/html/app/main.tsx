import "./css/index.css";
import { render } from "preact";
import { createReport } from "../report.ts";
import { App } from "./app.tsx";
import { readHistory, readResults } from "./data.ts";
import { applySavedTheme } from "./theme.ts";

applySavedTheme();
const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App report={createReport(readResults(), readHistory())} />, root);
}
