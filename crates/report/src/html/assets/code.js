"use strict";
// Folders, files and functions, with a group of columns for each relation.

(async () => {
  const { load, el, number, percent, share, bar, grid, filter, at } = metacov;
  const [run, functions] = await Promise.all([load("run"), load("functions")]);
  const groups = ["all", ...run.relations];
  const [differ, never] = run.words;
  const select = document.getElementById("criterion");
  const shown = new Set([0]);
  let numbers;
  let root;

  const node = (name, kind, depth) => ({ name, kind, depth, children: [], open: true, file: null, line: null, path: "", sites: 0, executed: new Float64Array(groups.length), mc: new Float64Array(groups.length) });

  const add = (to, from) => {
    to.sites += from.sites;
    groups.forEach((_, group) => {
      to.executed[group] += from.executed[group];
      to.mc[group] += from.mc[group];
    });
  };

  // All folders, files and functions. Folders with nothing but a folder in them are one row.
  const grow = () => {
    const top = node("", "folder", -1);
    const files = run.files.map(([path], file) => {
      const of = node(path, "file", 0);
      return Object.assign(of, { file, path, open: run.files.length === 1 });
    });
    functions.forEach(([file, line, name], index) => {
      const of = node(name || "(outside of functions)", "function", 0);
      const start = index * (1 + 2 * groups.length);
      Object.assign(of, { file, line, path: run.files[file][0], sites: numbers[start] });
      groups.forEach((_, group) => {
        of.executed[group] = numbers[start + 1 + 2 * group];
        of.mc[group] = numbers[start + 2 + 2 * group];
      });
      if (of.sites) files[file].children.push(of);
      add(files[file], of);
    });
    for (const file of files) {
      const parts = file.path.split("/");
      file.name = parts.pop();
      let folder = top;
      const path = [];
      for (const part of parts) {
        path.push(part);
        let next = folder.children.find((child) => child.kind === "folder" && child.name === part);
        if (!next) {
          next = Object.assign(node(part, "folder", 0), { path: path.join("/") });
          folder.children.push(next);
        }
        folder = next;
      }
      folder.children.push(file);
    }
    const settle = (of, depth) => {
      while (of.kind === "folder" && of.children.length === 1 && of.children[0].kind === "folder") {
        const [only] = of.children;
        Object.assign(of, { name: of.name ? of.name + "/" + only.name : only.name, children: only.children, path: only.path });
      }
      of.depth = depth;
      for (const child of of.children) {
        settle(child, depth + 1);
        if (of.kind === "folder") add(of, child);
      }
    };
    settle(top, -1);
    return top;
  };

  const toggle = (of) => {
    of.open = !of.open;
    table.update();
  };

  const name = (of) => {
    const cell = el("span", { class: "tree " + of.kind });
    cell.style.paddingLeft = of.depth * 1.1 + "em";
    if (of.children.length) {
      cell.append(el("button", { type: "button", class: "fold", "aria-expanded": String(of.open), "aria-label": of.name, click: () => toggle(of) }, of.open ? "▾" : "▸"));
    } else {
      cell.append(el("span", { class: "fold" }));
    }
    const label = of.kind === "folder" ? of.name + "/" : of.name;
    const href = at("source.html", { f: of.file, l: of.line || null });
    cell.append(of.kind === "folder" ? label : el("a", { href, title: of.path + (of.line ? ":" + of.line : "") }, label));
    return cell;
  };

  const columns = () => {
    const list = [
      { label: "name", class: "name", head: true, descending: false, value: (of) => of.name.toLowerCase(), cell: name },
      { label: run.plurals[run.criteria.indexOf(select.value)], value: (of) => of.sites, cell: (of) => number(of.sites) },
    ];
    groups.forEach((label, group) => {
      if (!shown.has(group)) return;
      const more = shown.size > 1 ? { group: label } : {};
      const rest = (of) => of.executed[group] - of.mc[group];
      list.push(
        { ...more, label: "states", title: differ + ", " + never + ", not executed", class: "bar first", value: (of) => share(of.mc[group], of.sites), cell: (of) => bar(of.sites, of.executed[group], of.mc[group], run.words) },
        { ...more, label: "Cov", value: (of) => share(of.executed[group], of.sites), cell: (of) => percent(of.executed[group], of.sites) },
        { ...more, label: "MC", value: (of) => share(of.mc[group], of.sites), cell: (of) => percent(of.mc[group], of.sites) },
        { ...more, label: "MC/Cov", value: (of) => share(of.mc[group], of.executed[group]), cell: (of) => percent(of.mc[group], of.executed[group]) },
        { ...more, label: never, title: "executed, " + never, value: rest, cell: (of) => (of.kind === "folder" || group || !rest(of) ? number(rest(of)) : el("a", { href: at("source.html", { f: of.file, l: of.line || 1, to: "x" }), title: "to the first of them" }, number(rest(of)))) },
      );
    });
    return list;
  };

  const arrange = (compare) => {
    const searching = search.words().length > 0;
    const rows = [];
    const walk = (of) => {
      const start = rows.length;
      if (of.depth >= 0) rows.push(of);
      const matches = !searching || (of.depth >= 0 && search.matches(of.path + " " + of.name));
      let any = matches;
      if (of.open || searching || of.depth < 0) {
        for (const child of [...of.children].sort(compare)) any = walk(child) || any;
      }
      if (!any) rows.length = start;
      return any;
    };
    walk(root);
    return rows;
  };

  const more = document.getElementById("more");
  const note = (some, all) => {
    more.textContent = all === 0 ? "Nothing is called that." : some < all ? number(some) + " of " + number(all) + " rows" : "";
  };
  const search = filter(() => table.update());
  const table = grid(document.getElementById("grid"), { columns, arrange, sort: { column: 6, descending: true }, note, row: (row, of) => row.classList.add(of.kind) });

  const chips = document.getElementById("relations");
  const press = (group) => {
    if (shown.has(group)) shown.delete(group);
    else shown.add(group);
    if (!shown.size) shown.add(0);
    [...chips.children].forEach((chip, index) => chip.setAttribute("aria-pressed", String(shown.has(index))));
    table.update();
  };
  groups.forEach((label, group) => chips.append(el("button", { type: "button", class: "chip", "aria-pressed": String(shown.has(group)), click: () => press(group) }, label)));

  const show = async () => {
    numbers = await load("numbers-" + select.value);
    root = grow();
    table.update();
  };
  select.addEventListener("change", () => show().catch(metacov.fail));
  await show();
})().catch(metacov.fail);
