"use strict";
// All pairs, or one of them: its inputs, its setup, its verdict, and where its sides differ.

(async () => {
  const { load, el, number, time, at, address, grid, filter, stretches, plural } = metacov;
  const [run, rows] = await Promise.all([load("run"), load("pairs")]);
  const pairs = rows.map(([relation, name, verdict, a, b, micros, setup, shape], index) => ({ index, shape, relation: run.relations[relation], name, verdict, a, b, micros, setup, measured: verdict === "measured" || verdict === "holds" || verdict === "violated" }));
  const byId = (id) => document.getElementById(id);
  const [list, view] = [byId("list"), byId("case")];

  const KINDS = {
    "": () => true,
    violated: (pair) => pair.verdict === "violated",
    failed: (pair) => !pair.measured,
    empty: (pair) => pair.shape === "empty",
    "one-sided": (pair) => pair.shape === "one-sided",
  };
  for (const relation of run.relations) byId("relation").append(el("option", {}, relation));
  const columns = () => [
    { label: "relation", class: "name", head: true, descending: false, value: (of) => of.relation, cell: (of) => of.relation },
    { label: "pair", class: "text", descending: false, value: (of) => of.name, cell: (of) => el("a", { href: at("pairs.html", { p: of.index }) }, of.name) },
    { label: "verdict", class: "text", descending: false, value: (of) => of.verdict, cell: (of) => el("span", { class: "verdict " + (of.measured ? of.verdict : "failed") }, of.verdict) },
    { label: "MC sites", title: run.primaries + " that only one side executed", value: (of) => (of.measured ? of.a + of.b : -1), cell: (of) => (of.measured ? number(of.a + of.b) : "–") },
    { label: "a only", value: (of) => of.a, cell: (of) => (of.measured ? number(of.a) : "–") },
    { label: "b only", value: (of) => of.b, cell: (of) => (of.measured ? number(of.b) : "–") },
    { label: "time", value: (of) => of.micros, cell: (of) => time(of.micros) },
    { label: "setup", value: (of) => (of.setup === null ? -1 : of.setup), cell: (of) => (of.setup === null ? "" : String(of.setup + 1)) },
  ];
  const arrange = (compare) => {
    const kind = KINDS[byId("kind").value] || KINDS[""];
    const relation = byId("relation").value;
    return pairs.filter((of) => kind(of) && (!relation || of.relation === relation) && search.matches(of.relation + " " + of.name + " " + of.verdict)).sort(compare);
  };
  const note = (some, all) => {
    byId("more").textContent = all === 0 ? "No pairs match." : some < all ? number(some) + " of " + number(all) : plural(all, "pair");
  };
  const search = filter(() => table.update());
  const table = grid(byId("grid"), { columns, arrange, sort: { column: 3, descending: true }, note });
  for (const id of ["kind", "relation"]) {
    byId(id).addEventListener("change", () => {
      history.replaceState(null, "", at("pairs.html", { show: byId("kind").value, relation: byId("relation").value }));
      table.update();
    });
  }

  const pre = (text) => el("pre", { tabindex: "0" }, text);

  const input = ([name, text, bytes, kept]) =>
    el("div", {}, name ? el("p", { class: "muted" }, name) : null, kept || !bytes ? pre(text) : null, bytes > kept ? el("p", { class: "muted" }, kept ? "cut: the first " + number(kept) + " of " + number(bytes) + " bytes" : number(bytes) + " bytes, not kept") : null);

  const setup = (pair) => {
    if (pair.setup === null) return null;
    const place = el("div", {});
    const open = async (event) => {
      if (event.target.open && !place.firstChild) place.append(pre(await load("setup-" + pair.setup)));
    };
    return el("details", { toggle: open }, el("summary", {}, "Setup " + (pair.setup + 1) + ": what both sides start from"), place);
  };

  // In which functions, how many lines of a only and b only.
  const differing = async (pair, files) => {
    const body = el("tbody", {});
    const found = [];
    for (const [file, text] of files) {
      const { functions } = await load("file-" + file);
      let last = null;
      for (const [start, end, side] of stretches(text)) {
        for (let line = start; line < end; line += 1) {
          if (!last || line < last.start || line >= last.end) {
            let i = functions.findLastIndex(([first]) => first <= line);
            last = { file, name: i < 0 ? "(outside of functions)" : functions[i][1], start: i < 0 ? 0 : functions[i][0], end: i + 1 < functions.length ? functions[i + 1][0] : Infinity, a: 0, b: 0, line };
            found.push(last);
          }
          if (side & 1) last.a += 1;
          if (side & 2) last.b += 1;
        }
      }
    }
    found.sort((left, right) => right.a + right.b - left.a - left.b);
    for (const of of found.slice(0, 200)) {
      const href = at("source.html", { f: of.file, l: of.line, p: pair.index });
      body.append(el("tr", {}, el("th", { scope: "row", class: "name" }, el("a", { href }, of.name)), el("td", { class: "text" }, run.files[of.file][0] + ":" + of.line), el("td", {}, number(of.a)), el("td", {}, number(of.b))));
    }
    const head = el("thead", {}, el("tr", {}, ...["function", "where", "a only", "b only"].map((label, i) => el("th", { scope: "col", class: i < 2 ? "text" : "" }, label))));
    const more = found.length > 200 ? el("p", { class: "note" }, "the first 200 of " + plural(found.length, "function")) : null;
    return el("div", {}, el("div", { class: "scroll" }, el("table", { class: "plain" }, head, body)), more);
  };

  // What a side printed, if that is stored.
  const output = (printed) => (printed ? [input(["output (" + printed[0] + ")", ...printed.slice(1)])] : []);

  const show = async (index) => {
    const pair = pairs[index];
    const data = (await load("cases-" + Math.floor(index / run.cases)))[index % run.cases];
    byId("title").textContent = "Pair " + pair.name + " of " + pair.relation;
    const letter = (side) => String.fromCharCode(97 + side);
    const step = (to, label) => (pairs[to] ? el("a", { href: at("pairs.html", { p: to }), class: "step" }, label) : null);
    const facts = [el("span", { class: "verdict " + (pair.measured ? pair.verdict : "failed") }, pair.verdict)];
    if (data.words) facts.push(" ", el("span", { class: "words" }, (data.side === null ? "" : "side " + letter(data.side) + ": ") + data.words));
    if (pair.measured) facts.push(" · a only: ", plural(pair.a, run.primary, run.primaries), ", b only: ", plural(pair.b, run.primary, run.primaries), " · ", time(pair.micros));
    const sides = data.inputs.map((inputs, side) => el("section", {}, el("h2", {}, "Side " + letter(side)), ...inputs.map(input), ...output(data.outputs[side])));
    const first = data.differing.length ? data.differing[0][0] : 0;
    const start = data.differing.length ? stretches(data.differing[0][1])[0][0] : null;
    view.replaceChildren(
      el("p", { class: "steps" }, el("a", { href: "pairs.html#" }, "All pairs"), " ", step(index - 1, "previous"), " ", step(index + 1, "next")),
      el("p", {}, ...facts),
      el("div", { class: "sides" }, ...(sides.length ? sides : [el("p", { class: "muted" }, "What it was run on is not known.")])),
      ...[setup(pair)].filter(Boolean),
    );
    if (!pair.measured) return;
    view.append(el("h2", {}, "Where its sides differ"));
    if (!data.differing.length) {
      const meaning = pair.verdict === "violated" ? "The fault is in what they compute, not in which lines run." : "A fault in one of them is likely to change both results alike.";
      view.append(el("p", {}, "Nowhere: both sides execute the same lines. " + meaning));
    } else {
      view.append(el("p", {}, el("a", { href: at("source.html", { f: first, l: start, p: index }) }, "Line by line: a only, b only, both, not executed")), await differing(pair, data.differing));
    }
  };

  const route = async () => {
    const values = address();
    const index = values.has("p") ? Number(values.get("p")) : -1;
    const isCase = Boolean(pairs[index]);
    list.hidden = isCase;
    view.hidden = !isCase;
    if (isCase) {
      await show(index);
      scrollTo(0, 0);
      return;
    }
    byId("title").textContent = "Pairs";
    byId("kind").value = Object.hasOwn(KINDS, values.get("show")) ? values.get("show") : "";
    byId("relation").value = run.relations.includes(values.get("relation")) ? values.get("relation") : "";
    table.update();
  };
  addEventListener("hashchange", () => route().catch(metacov.fail));
  addEventListener("keydown", (event) => {
    const index = Number(address().get("p"));
    if (view.hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const to = event.key === "n" ? index + 1 : event.key === "p" ? index - 1 : -1;
    if (pairs[to]) location.hash = at("", { p: to });
  });
  await route();
})().catch(metacov.fail);
