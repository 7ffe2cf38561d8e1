"use strict";
// Executed code that is in the difference of no pair: whole functions, and stretches of others.

(async () => {
  const { load, el, number, at, grid, filter } = metacov;
  const [run, functions, gaps] = await Promise.all([load("run"), load("functions"), load("gaps")]);
  const [whole, stretches] = gaps.map((rows) =>
    rows.map(([index, first, last, sites, pairs, executions, neighbour, closest]) => {
      const [file, , name] = functions[index];
      return { file, name: name || "(outside of functions)", path: run.files[file][0], first, last, sites, pairs, executions, neighbour, closest };
    }),
  );
  const apart = (of, line) => Math.max(of.first - line, line - of.last, 0);
  const source = (of, line, text) => el("a", { href: at("source.html", { f: of.file, l: line }) }, text);
  // The function that a line of a file is in, by the lines that functions start on.
  const starts = run.files.map(() => []);
  for (const [file, line, name] of functions) if (line) starts[file].push([line, name]);
  const functionAt = (file, line) => (starts[file].findLast(([start]) => start <= line) || [0, ""])[1];
  const near = (of, line) => {
    if (line === null) return "none in this file";
    const where = apart(of, line) === 0 ? "within" : number(apart(of, line)) + (line < of.first ? " above" : " below");
    return el("span", {}, source(of, line, functionAt(of.file, line) || "line " + line), " ", el("span", { class: "muted" }, where));
  };

  const columns = () => [
    { label: "function", class: "name", head: true, descending: false, value: (of) => of.name, cell: (of) => source(of, of.first, of.name) },
    { label: "where", class: "text where", descending: false, value: (of) => of.path + ":" + String(of.first).padStart(9, "0"), cell: (of) => (run.files.length > 1 ? of.path + ":" : "") + of.first + (of.last > of.first ? "–" + of.last : "") },
    { label: run.primaries, title: "executed, " + run.words[1], value: (of) => of.sites, cell: (of) => number(of.sites) },
    { label: "pairs", title: "that run it", value: (of) => of.pairs, cell: (of) => number(of.pairs) },
    { label: "executions", title: "pairs that run each " + run.primary + ", summed up", value: (of) => of.executions, cell: (of) => number(of.executions) },
    { label: "nearest MC " + run.primary, class: "text", descending: false, value: (of) => (of.neighbour === null ? Infinity : apart(of, of.neighbour)), cell: (of) => near(of, of.neighbour) },
    { label: "relations that came closest", class: "text closest", descending: false, value: (of) => of.closest.map(([relation]) => run.relations[relation]).join(), cell: (of) => el("span", {}, ...of.closest.flatMap(([relation, line], i) => [i ? ", " : "", source(of, line, run.relations[relation]), " ", el("span", { class: "muted" }, number(apart(of, line)))])) },
  ];
  const search = filter(() => grids.forEach((of) => of.update()));
  const arrange = (rows) => (compare) => rows.filter((of) => search.matches(of.name + " " + of.path)).sort(compare);
  const make = (id, rows) => grid(document.getElementById(id), { columns, arrange: arrange(rows), sort: { column: 4, descending: true } });
  const grids = [make("functions", whole), make("blocks", stretches)];
  grids.forEach((of) => of.update());
})().catch(metacov.fail);
