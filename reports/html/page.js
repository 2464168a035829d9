(() => {
  const root = document.documentElement;
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const sections = [...document.querySelectorAll("[data-rpc]")].map((element) => ({
    element,
    service: element.dataset.service,
    row: document.querySelector(`[data-row="${CSS.escape(element.dataset.rpc)}"]`),
    openAtFirst: element.open,
    entries: [...element.querySelectorAll("[data-entry]")].map((entry) => ({ element: entry, text: undefined })),
  }));
  const total = sections.reduce((sum, section) => sum + section.entries.length, 0);

  root.classList.add("scripted");
  form.hidden = false;

  /** Text of an entry as a reader sees it, with the RPC it stands under; read when first asked for. */
  function textOf(section, entry) {
    entry.text ??= `${section.element.dataset.rpc} ${entry.element.textContent}`.toLowerCase();
    return entry.text;
  }

  function readFilter() {
    const data = new FormData(form);
    return {
      words: String(data.get("text")).toLowerCase().split(/\s+/).filter(Boolean),
      outcomes: new Set(data.getAll("outcome")),
      area: data.get("area"),
      service: data.get("service"),
    };
  }

  function matches(filter, section, entry) {
    const { outcome, area } = entry.element.dataset;
    if (filter.service && filter.service !== section.service) return false;
    if (filter.area && filter.area !== area) return false;
    if (filter.outcomes.size > 0 && !filter.outcomes.has(outcome)) return false;
    return filter.words.every((word) => textOf(section, entry).includes(word));
  }

  function apply() {
    const filter = readFilter();
    const active =
      filter.words.length > 0 || filter.outcomes.size > 0 || Boolean(filter.area) || Boolean(filter.service);
    let count = 0;
    for (const section of sections) count += applyTo(section, filter, active);
    for (const service of document.querySelectorAll(".service, .matrix tbody")) {
      const parts = service.querySelectorAll("[data-rpc], [data-row]");
      service.hidden = [...parts].every((part) => part.hidden);
    }
    for (const cell of document.querySelectorAll(".matrix [data-area]"))
      cell.hidden = active && Boolean(filter.area) && cell.dataset.area !== filter.area;
    shown.value = active ? `${count} of ${total} entries` : "";
    // Few enough to read at once: open them.
    for (const { element, openAtFirst } of sections)
      element.open = active && count <= 200 ? !element.hidden : openAtFirst;
  }

  function applyTo(section, filter, active) {
    let count = 0;
    const areas = new Set();
    for (const entry of section.entries) {
      const match = !active || matches(filter, section, entry);
      entry.element.hidden = !match;
      if (!match) continue;
      count += 1;
      areas.add(entry.element.dataset.area);
    }
    const empty = active && count === 0;
    section.element.hidden = empty;
    for (const group of section.element.querySelectorAll(".lines")) foldLines(group, active);
    for (const area of section.element.querySelectorAll(".area"))
      area.hidden = active && !area.querySelector("[data-entry]:not([hidden])");
    if (section.row) {
      section.row.hidden = empty;
      for (const cell of section.row.querySelectorAll("[data-area]"))
        cell.classList.toggle("dim", active && !areas.has(cell.dataset.area));
    }
    return count;
  }

  function foldLines(group, active) {
    const left = group.querySelectorAll("[data-entry]:not([hidden])").length;
    const all = group.querySelectorAll("[data-entry]").length;
    group.hidden = left === 0;
    group.open = active && left > 0 && left <= 20;
    if (left < all) group.firstElementChild.dataset.shown = ` · ${left} shown`;
    else delete group.firstElementChild.dataset.shown;
  }

  /** Opens what an address points at; a filter that hides it gives way. */
  function follow() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id === "" ? null : document.getElementById(id);
    if (target === null) return;
    if (target.closest("[hidden]")) {
      form.reset();
      apply();
    }
    for (let element = target; element !== null; element = element.parentElement)
      if (element.tagName === "DETAILS") element.open = true;
    const only = target.matches(".area") && target.querySelectorAll(".entry, .lines").length === 1;
    if (only) target.querySelector(".entry, .lines").open = true;
    target.scrollIntoView({ block: "start" });
  }

  async function copy(button) {
    const text = button.previousElementSibling.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No clipboard for this page: leave the text selected.
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = "Selected";
      return;
    }
    button.textContent = "Copied";
  }

  function switchTheme() {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  let wait;
  form.addEventListener("input", (event) => {
    clearTimeout(wait);
    if (event.target.type === "search") wait = setTimeout(apply, 120);
    else apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("theme").addEventListener("click", switchTheme);
  document.addEventListener("click", (event) => {
    if (event.target.matches(".copy")) copy(event.target);
    // A link to where the address already points fires no hashchange.
    else if (event.target.closest(`a[href="${CSS.escape(location.hash)}"]`)) follow();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    form.elements.text.focus();
  });
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => {
    for (const { element } of sections) element.open ||= !element.matches(".verdict-conformant");
  });
  apply();
  follow();
})();
