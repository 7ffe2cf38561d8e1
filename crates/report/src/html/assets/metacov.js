"use strict";
// What all pages share: data, numbers, addresses and tables. Everything that comes from a run gets
// into the page as text, never as markup.

const metacov = (() => {
  const waiting = new Map();

  const entry = (name) => {
    if (!waiting.has(name)) {
      const of = {};
      of.promise = new Promise((resolve, reject) => Object.assign(of, { resolve, reject }));
      waiting.set(name, of);
    }
    return waiting.get(name);
  };

  // Called by the scripts that hold data.
  const take = (name, data) => entry(name).resolve(data);

  // The data of this name; its script is loaded on first use.
  const load = (name) => {
    const of = entry(name);
    if (!of.script) {
      of.script = document.createElement("script");
      of.script.src = "data/" + name + ".js";
      of.script.addEventListener("error", () => of.reject(new Error(name + " is not there")));
      document.head.append(of.script);
    }
    return of.promise;
  };

  // An element with attributes and children; strings become text.
  const el = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "class") element.className = value;
      else if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  };

  const number = (value) => value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const percent = (part, whole) => (whole ? ((100 * part) / whole).toFixed(2) + " %" : "–");
  const share = (part, whole) => (whole ? part / whole : -1);
  const plural = (count, one, several = one + "s") => number(count) + " " + (count === 1 ? one : several);

  const time = (micros) =>
    micros >= 1e6 ? (micros / 1e6).toFixed(1) + " s" : micros >= 1e3 ? (micros / 1e3).toFixed(1) + " ms" : micros + " µs";

  // The parameters after the # of the address.
  const address = () => new URLSearchParams(location.hash.slice(1));
  const at = (page, values) => {
    const parts = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) if (value !== null && value !== undefined && value !== "") parts.set(key, value);
    return page + "#" + parts;
  };

  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const VALUES = new Map([...LETTERS].map((letter, value) => [letter, value]));

  // Stretches of places with a small number each: [start, end, number].
  const stretches = (text) => {
    const numbers = [];
    let value = 0;
    let shift = 0;
    for (const letter of text) {
      const digit = VALUES.get(letter);
      value += (digit & 31) * 2 ** shift;
      shift += 5;
      if (!(digit & 32)) {
        numbers.push(value);
        value = shift = 0;
      }
    }
    const found = [];
    let end = 0;
    for (let i = 0; i + 1 < numbers.length; i += 2) {
      const start = end + numbers[i];
      end = start + Math.floor(numbers[i + 1] / 8);
      found.push([start, end, numbers[i + 1] % 8]);
    }
    return found;
  };

  // A bar of three parts: MC sites, other executed sites, not executed. The words are those of the run.
  const bar = (sites, executed, mc, [differ, never]) => {
    const part = (state, count) => {
      const element = el("i", { class: "s-" + state });
      element.style.width = (sites ? (100 * count) / sites : 0) + "%";
      return element;
    };
    const title = number(mc) + " " + differ + ", " + number(executed - mc) + " executed, " + never + ", " + number(sites - executed) + " not executed";
    return el("span", { class: "stack", title }, part("v", mc), part("x", executed - mc));
  };

  const BATCH = 200;

  // A table that sorts by its columns and grows while one scrolls. `arrange(compare)` gives the
  // rows to show; a column has `label`, `cell(row)`, `value(row)` to sort by, and perhaps `title`,
  // `class`, `group` and `descending`, which way it sorts first.
  const grid = (table, { columns, arrange, sort, note, row: dress }) => {
    let rows = [];
    let shown = 0;
    const head = table.tHead;
    const body = table.tBodies[0];
    const watcher = new IntersectionObserver((seen) => seen.some((of) => of.isIntersecting) && grow(), { rootMargin: "800px" });
    const end = el("div", { class: "end" });
    table.after(end);
    watcher.observe(end);

    // Columns come and go, so the sort column is identified by its name.
    const key = (column) => (column.group || "") + " " + column.label;
    const sorted = () => columns().find((column) => key(column) === sort.by) || columns()[sort.column];

    const compare = (left, right) => {
      const column = sorted();
      const [a, b] = [column.value(left), column.value(right)];
      const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
      return sort.descending ? -order : order;
    };

    const grow = (count = BATCH) => {
      const fragment = document.createDocumentFragment();
      const until = Math.min(shown + count, rows.length);
      for (; shown < until; shown += 1) {
        const cells = columns().map((column) => {
          const content = column.cell(rows[shown]);
          return el(column.head ? "th" : "td", { class: column.class || "", scope: column.head ? "row" : null }, content);
        });
        const element = el("tr", {}, ...cells);
        if (dress) dress(element, rows[shown]);
        fragment.append(element);
      }
      body.append(fragment);
      if (note) note(shown, rows.length);
      // The end may still be visible, and would not trigger again.
      watcher.unobserve(end);
      if (shown < rows.length) watcher.observe(end);
    };

    const fill = () => {
      const groups = el("tr", { class: "groups" });
      const labels = el("tr", {});
      const list = columns();
      const by = list.find((column) => key(column) === sort.by) || list[sort.column];
      list.forEach((column, at) => {
        const last = groups.lastElementChild;
        if (last && last.textContent === (column.group || "")) last.colSpan += 1;
        else groups.append(el("th", { class: column.group ? "group" : "", scope: "colgroup" }, column.group || ""));
        const is = column === by;
        const click = () => {
          sort.descending = is ? !sort.descending : column.descending !== false;
          sort.by = key(column);
          update();
          head.querySelectorAll("button")[at].focus();
        };
        const arrow = is ? (sort.descending ? " ▾" : " ▴") : "";
        labels.append(
          el("th", { class: column.class || "", scope: "col", "aria-sort": is ? (sort.descending ? "descending" : "ascending") : null },
            el("button", { type: "button", title: column.title, click }, column.label, el("span", { class: "arrow", "aria-hidden": "true" }, arrow))),
        );
      });
      head.replaceChildren(...(columns().some((column) => column.group) ? [groups] : []), labels);
    };

    const update = () => {
      fill();
      rows = arrange(compare);
      shown = 0;
      body.replaceChildren();
      grow();
    };
    // On paper, a limited number of rows.
    addEventListener("beforeprint", () => grow(2000));
    return { update, columns };
  };

  // Calls back soon after the last change of the field; `/` goes to it, Escape empties it.
  const filter = (then) => {
    const field = document.getElementById("filter");
    let timer;
    const words = () => field.value.toLowerCase().split(/\s+/).filter(Boolean);
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(then, 80);
    });
    addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea");
      if (event.key === "/" && !typing) {
        event.preventDefault();
        field.focus();
      } else if (event.key === "Escape" && event.target === field) {
        field.value = "";
        then();
      }
    });
    return { words, matches: (text) => words().every((word) => text.toLowerCase().includes(word)) };
  };

  // What a mutant replaces, and with what.
  const change = ([name, from, to]) => el("span", { title: name }, el("code", {}, from), " to ", to ? el("code", {}, to) : "nothing");

  // A page that cannot show its data reports that.
  const fail = (error) => {
    document.querySelector("main").prepend(el("p", { class: "warning" }, "This page cannot be shown: " + error.message));
  };

  return { take, load, el, number, percent, share, plural, time, address, at, stretches, bar, grid, filter, change, fail };
})();
