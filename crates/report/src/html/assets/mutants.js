"use strict";
// Mutants: those that survive on checked lines, those that are killed outside of MC, and functions.

(async () => {
  const { load, el, number, percent, share, at, grid, filter, change } = metacov;
  const [run, lists] = await Promise.all([load("run"), load("mutants")]);
  const { operators } = run.mutants;
  const path = (file) => (file === null ? "" : run.files[file][0]);
  const source = (of, text) => (of.file === null ? text : el("a", { href: at("source.html", { f: of.file, l: of.line }) }, text));
  const place = (of) => (run.files.length > 1 ? path(of.file) + ":" : "") + of.line;
  const mutants = (rows) =>
    rows.map(([file, name, [line, column, operator, , kills]]) => ({ file, name, line, column, operator: operators[operator], kills, text: [path(file), name, operators[operator][0]].join(" ") }));
  const where = { label: "where", class: "text where", descending: false, value: (of) => path(of.file) + ":" + String(of.line).padStart(9, "0"), cell: place };
  const name = { label: "function", class: "name", head: true, descending: false, value: (of) => of.name, cell: (of) => source(of, of.name) };
  const columns = [
    name,
    where,
    { label: "column", value: (of) => of.column, cell: (of) => number(of.column) },
    { label: "change", class: "text", descending: false, value: (of) => of.operator[0], cell: (of) => change(of.operator) },
  ];
  const relations = (of) => of.kills.map((relation) => run.relations[relation]).join(", ");
  const killers = { label: "killed by", class: "text closest", descending: false, value: relations, cell: relations };
  const functions = lists.functions.map(([file, line, label, [all, reached, killed, survived]]) => ({ file, line, name: label, all, reached, killed, survived, text: path(file) + " " + label }));
  const counts = ["survived", "killed", "reached"].map((label) => ({ label, value: (of) => of[label], cell: (of) => number(of[label]) }));
  const ofFunctions = [
    name,
    where,
    ...counts,
    { label: "mutants", value: (of) => of.all, cell: (of) => number(of.all) },
    { label: "killed/reached", value: (of) => share(of.killed, of.reached), cell: (of) => percent(of.killed, of.reached) },
  ];
  const search = filter(() => grids.forEach((of) => of.update()));
  const make = (id, rows, list, sort) => {
    const more = document.getElementById("more-" + id);
    const note = (some, all) => {
      more.textContent = all === 0 ? "None." : some < all ? number(some) + " of " + number(all) + " rows" : "";
    };
    return grid(document.getElementById(id), { columns: () => list, arrange: (compare) => rows.filter((of) => search.matches(of.text)).sort(compare), sort, note });
  };
  const grids = [
    make("survivors", mutants(lists.survivors), columns, { column: 1, descending: false }),
    make("missed", mutants(lists.missed), [...columns, killers], { column: 1, descending: false }),
    make("functions", functions, ofFunctions, { column: 2, descending: true }),
  ];
  grids.forEach((of) => of.update());
})().catch(metacov.fail);
