"use strict";
// A file, line by line: of all pairs together, or of a single pair (`p` in the address).
//
// Lines are not elements: a chunk of a thousand lines is a few columns of text, with stretches of
// colour behind them. So a quarter of a million lines are a few thousand elements, the browser
// skips those that are not visible, and searching in the page finds them all.

(async () => {
  const { load, el, number, at, address, stretches, plural, change } = metacov;
  const run = await load("run");
  const byId = (id) => document.getElementById(id);
  const [code, map, panel, legend] = ["code", "map", "panel", "legend"].map(byId);
  const HEIGHT = 18;
  const GLYPHS = { " ": " ", a: "◂", b: "▸", e: "◆", x: "●", n: "○" };
  const [differ, never] = run.words;
  const [differs, neverDiffers] = run.words.map((word) => word.replace("differ", "differs"));
  const NAMES = { " ": "no code", a: differs + ": a only", b: differs + ": b only", e: differs + ": either (a only in some pairs, b only in others)", x: "executed, " + neverDiffers, n: "not executed" };
  const OF_PAIR = { " ": "no code", a: "a only", b: "b only", e: "either: a only and b only, in a pair of several sides", x: "both", n: "not executed" };
  const BY_NUMBER = "nxabe";
  const CHUNKS_IN_ADVANCE = 400;

  let file = -1; // its number
  let states = ""; // a letter for each line
  let functions = []; // [line, name], in order
  let pair = null; // the pair whose view this is: { index, relation, name, ... }
  let chunks = []; // { number, element, ready }
  let current = 0; // the selected line
  let target = "x"; // the state that n and p go to
  let flaky = new Set(); // lines
  let mutants = new Map(); // by line: [line, column, operator, verdict, relations that kill it]

  const group = (state) => ("abe".includes(state) ? "v" : state);
  const lineOf = (chunk) => chunk.number * run.chunk;
  const count = (chunk) => Math.min(run.chunk, states.length - lineOf(chunk));

  const functionAt = (line) => {
    const i = functions.findLastIndex(([start]) => start <= line);
    return i < 0 ? null : { line: functions[i][0], name: functions[i][1] };
  };

  // By line of a chunk: what one pair does there.
  const ofPair = (data, cover, index, lines) => {
    const places = statesOf(cover, index);
    const letters = new Array(lines).fill(" ");
    data.lines.forEach(([line], place) => {
      letters[line] = strongest(letters[line], BY_NUMBER[places[place]]);
    });
    return { letters, branches: places.slice(data.lines.length) };
  };

  // Of several instances of a line, the one with the most significant state.
  const ORDER = " nxabe";
  const strongest = (left, right) => (left !== " " && right !== left && "ab".includes(left) && "ab".includes(right) ? "e" : ORDER.indexOf(left) > ORDER.indexOf(right) ? left : right);

  // By place of a chunk: what a pair does there.
  const statesOf = (cover, index) => {
    const places = [...cover.base].map(Number);
    const of = cover.pairs.find(([other]) => other === index);
    if (of) for (const [start, end, state] of stretches(of[1])) places.fill(state, start, end);
    return places;
  };

  const column = (kind, texts) => el("pre", { class: kind, "aria-hidden": kind === "text" ? null : "true" }, texts.join("\n") + "\n");

  // Stretches of lines of one state, as elements of this class.
  const colours = (kind, letters) => {
    const fragment = document.createDocumentFragment();
    for (let start = 0; start < letters.length; ) {
      let end = start + 1;
      while (end < letters.length && letters[end] === letters[start]) end += 1;
      if (letters[start] !== " ") {
        const stretch = el("i", { class: kind + " s-" + letters[start] });
        stretch.style.top = start * HEIGHT + "px";
        stretch.style.height = (end - start) * HEIGHT + "px";
        fragment.append(stretch);
      }
      start = end;
    }
    return fragment;
  };

  const verdictOf = ([, , , verdict]) => (verdict === null ? "not reached" : run.mutants.verdicts[verdict]);

  // The mutants of a line, by verdict, the most important first.
  const verdicts = (line) => {
    const counts = new Map(["killed", "survived", "error", "crash", "timeout", "invalid", "not reached"].map((verdict) => [verdict, 0]));
    for (const of of mutants.get(line) || []) counts.set(verdictOf(of), counts.get(verdictOf(of)) + 1);
    return counts;
  };

  // The mutants of a line in a column: killed / survived / not reached, + others.
  const score = (line) => {
    if (!mutants.has(line)) return "";
    const counts = verdicts(line);
    const main = ["killed", "survived", "not reached"].map((verdict) => counts.get(verdict));
    const others = mutants.get(line).length - main[0] - main[1] - main[2];
    return main.join("/") + (others ? "+" + others : "");
  };

  // Whether a mutant survives on a checked line, or is killed on another executed line.
  const isMutantTarget = (line, state) => {
    const wanted = state === "s" ? ["survived", "v"] : ["killed", "x"];
    return mutants.has(line) && group(states[line - 1]) === wanted[1] && mutants.get(line).some((of) => verdictOf(of) === wanted[0]);
  };

  // Shows a chunk, once.
  const fill = (chunk) => {
    if (chunk.ready) return chunk.ready;
    const name = file + "-" + chunk.number;
    const wanted = { file, pair };
    chunk.ready = (async () => {
      const data = await load("text-" + name);
      const cover = pair && data.lines.length ? await load("cover-" + name) : null;
      if (wanted.file !== file || wanted.pair !== pair) return;
      const lines = count(chunk);
      const blank = () => new Array(lines).fill("");
      const [numbers, glyphs, differing, ran, branches] = [blank(), blank(), blank(), blank(), blank()];
      const first = lineOf(chunk);
      let letters = states.slice(first, first + lines);
      let ways = data.branches.map(([, ran, a, b]) => (a && b ? "e" : a ? "a" : b ? "b" : ran ? "x" : "n"));
      if (cover) {
        const of = ofPair(data, cover, pair.index, lines);
        letters = of.letters.join("");
        ways = of.branches.map((state) => BY_NUMBER[state]);
      }
      for (let line = 0; line < lines; line += 1) {
        numbers[line] = String(first + line + 1);
        glyphs[line] = GLYPHS[letters[line]];
      }
      for (const [line, some, , , count] of data.lines) {
        // Of several instances of a line, the highest count.
        ran[line] = String(Math.max(Number(ran[line]), some) || "");
        differing[line] = String(Math.max(Number(differing[line]), count) || "");
      }
      data.branches.forEach(([line], i) => {
        if (branches[line].length < 6) branches[line] += GLYPHS[ways[i]];
        else if (!branches[line].endsWith("…")) branches[line] += "…";
      });
      for (let line = 0; line < lines; line += 1) if (flaky.has(first + line + 1)) glyphs[line] += "~";
      const text = data.text === null ? blank() : data.text.split("\n").slice(0, lines);
      const gutter = el("div", { class: "gutter" }, column("num", numbers), column("glyph", glyphs), column("val", differing), column("ran", ran), column("ways", branches));
      if (run.mutants) gutter.append(column("mutants", numbers.map((_, line) => score(first + line + 1))));
      gutter.prepend(colours("edge", letters));
      chunk.element.replaceChildren(colours("back", letters), gutter, column("text", text));
      chunk.element.classList.remove("empty");
    })();
    return chunk.ready;
  };

  const watcher = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target: element } of seen) if (isIntersecting) fill(chunks[Number(element.dataset.chunk)]).catch(metacov.fail);
    },
    { root: code, rootMargin: "1500px 0px" },
  );

  // Fills all chunks of a file of ordinary size when idle, the nearest first, so that searching in
  // the page finds everything.
  const fillAll = async () => {
    const wanted = chunks;
    if (pair || chunks.length > CHUNKS_IN_ADVANCE) return;
    const here = Math.floor((current || 1) / run.chunk);
    const order = [...chunks].sort((left, right) => Math.abs(left.number - here) - Math.abs(right.number - here));
    const idle = () => new Promise((resolve) => (window.requestIdleCallback ? requestIdleCallback(resolve) : setTimeout(resolve, 20)));
    for (const chunk of order) {
      if (chunks !== wanted) return;
      await fill(chunk);
      await idle();
    }
    code.dataset.whole = "";
  };

  const open = async (number, index) => {
    const data = await load("file-" + number);
    const all = run.mutants ? await load("mutants-" + number) : [];
    const pairs = index === null ? null : await load("pairs");
    file = number;
    ({ states, functions } = data);
    pair = pairs && pairs[index] ? { index, relation: run.relations[pairs[index][0]], name: pairs[index][1] } : null;
    if (pair) pair.places = await places(pair);
    flaky = new Set(data.flaky);
    mutants = new Map();
    for (const of of all) mutants.set(of[0], [...(mutants.get(of[0]) || []), of]);
    watcher.disconnect();
    delete code.dataset.whole;
    const [path, lines, hasText] = run.files[file];
    byId("path").textContent = path;
    document.title = path + " · " + document.title.split(" · ").slice(-2).join(" · ");
    chunks = [];
    for (let first = 0; first < lines; first += run.chunk) {
      const chunk = { number: chunks.length };
      chunk.element = el("div", { class: "chunk empty", "data-chunk": chunk.number });
      chunks.push(chunk);
      chunk.element.style.height = Math.min(run.chunk, lines - first) * HEIGHT + "px";
    }
    code.parentElement.style.setProperty("--digits", String(lines).length + "ch");
    code.replaceChildren(...(hasText ? [] : [el("p", { class: "note" }, "The text of this file is not here: it was not found, or is not what was compiled.")]), ...chunks.map((chunk) => chunk.element), marker);
    code.parentElement.classList.toggle("of-pair", Boolean(pair));
    chunks.forEach((chunk) => watcher.observe(chunk.element));
    tell();
    draw();
  };

  // Where a pair's sides differ in this file: a letter by line.
  const places = async (of) => {
    const data = (await load("cases-" + Math.floor(of.index / run.cases)))[of.index % run.cases];
    const letters = new Map();
    for (const [number, text] of data.differing) {
      if (number !== file) continue;
      for (const [start, end, side] of stretches(text)) for (let line = start; line < end; line += 1) letters.set(line, " abe"[side]);
    }
    return letters;
  };

  // The heading: whose view it is, and how many lines there are of each state.
  const tell = () => {
    const box = byId("of-pair");
    box.hidden = !pair;
    if (pair) {
      box.replaceChildren("Only ", el("a", { href: at("pairs.html", { p: pair.index }) }, "pair " + pair.name + " of " + pair.relation), " · ", el("a", { href: at("source.html", { f: file, l: current || null }) }, "all pairs"));
    }
    const counts = { v: 0, x: 0, n: 0, f: flaky.size, s: 0, k: 0 };
    if (!pair) for (const state of states) if (state !== " ") counts[group(state)] += 1;
    for (const line of mutants.keys()) for (const state of ["s", "k"]) counts[state] += isMutantTarget(line, state) ? 1 : 0;
    for (const chip of legend.querySelectorAll("button")) {
      const { state } = chip.dataset;
      chip.querySelector(".count").textContent = pair ? (state === "v" ? number(pair.places.size) : "") : state in counts ? number(counts[state]) : "";
      chip.querySelector(".word").textContent = { v: pair ? "one side only" : differ, x: pair ? "both" : never, n: "not executed", f: "flaky", s: "survivor", k: "miss" }[state];
      chip.hidden = state === "f" && !flaky.size;
      chip.disabled = Boolean(pair) && state !== "v";
      chip.setAttribute("aria-pressed", String(state === target));
    }
  };

  // Whether a line is of the state that n and p go to.
  const isTarget = (line) => {
    if (target === "f") return flaky.has(line);
    if ("sk".includes(target)) return isMutantTarget(line, target);
    if (pair) return target === "v" && pair.places.has(line);
    return group(states[line - 1]) === target;
  };

  // Goes to the next place of the chosen state: the first line of a stretch, code by code.
  const go = (step) => {
    const last = states.length;
    const isCode = (line) => (pair ? states[line - 1] !== " " : states[line - 1] !== " ");
    const starts = (line) => {
      if (!isTarget(line)) return false;
      let before = line - 1;
      while (before > 0 && !isCode(before)) before -= 1;
      return before === 0 || !isTarget(before);
    };
    for (let line = current + step; line > 0 && line <= last; line += step) if (starts(line)) return look(line, true);
    return undefined;
  };

  const marker = el("i", { class: "marker" });

  // Selects a line: the mark, the address, the panel.
  const look = (line, scroll) => {
    current = line;
    const chunk = chunks[Math.floor((line - 1) / run.chunk)];
    if (!chunk) return;
    const top = chunk.element.offsetTop + ((line - 1) % run.chunk) * HEIGHT;
    marker.style.top = top + "px";
    history.replaceState(null, "", at("source.html", { f: file, l: line, p: pair && pair.index }));
    if (scroll) code.scrollTop = top - code.clientHeight / 3;
    fill(chunk).catch(metacov.fail);
    tellFunction();
    explain(line, chunk).catch(metacov.fail);
  };

  const tellFunction = () => {
    const top = Math.floor(code.scrollTop / HEIGHT) + 1;
    const here = current >= top && current <= top + code.clientHeight / HEIGHT ? current : top;
    const of = functionAt(here);
    byId("function").replaceChildren(...(of ? [el("a", { href: at("source.html", { f: file, l: of.line, p: pair && pair.index }) }, of.name)] : []));
  };

  // The panel: everything that is known about a line.
  const explain = async (line, chunk) => {
    const name = file + "-" + chunk.number;
    const offset = (line - 1) % run.chunk;
    const data = await load("text-" + name);
    const rows = data.lines.filter(([of]) => of === offset);
    const of = functionAt(line);
    const title = el("h2", {}, "Line " + line, " ", el("button", { type: "button", class: "close", "aria-label": "close", click: () => panel.classList.remove("open") }, "×"));
    const content = [title];
    if (of) content.push(el("p", { class: "muted" }, "in " + of.name));
    const state = pair ? ofPairAt(await coverOf(name, data), data, offset) : states[line - 1];
    content.push(el("p", { class: "state s-" + state }, el("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[state]), " ", (pair ? OF_PAIR : NAMES)[state]));
    if (flaky.has(line)) content.push(el("p", {}, "~ flaky: the same input does not run it every time"));
    for (const [, ran, a, b, count] of rows) {
      const where = count ? plural(count, "differs", "differ") + " in it: a only in " + number(a) + ", b only in " + number(b) : "none differs in it";
      content.push(el("p", { class: "counts" }, "Executed in " + number(ran) + " of " + plural(run.pairs, "pair") + "; " + where + "."));
    }
    const branches = data.branches.filter(([at]) => at === offset);
    if (!pair && mutants.has(line)) content.push(el("h3", {}, "Mutants"), changes(line));
    if (branches.length) content.push(el("h3", {}, "Branches"), ways(branches));
    if (rows.length) content.push(el("h3", {}, "Pairs"), await pairsOf(name, data, offset));
    if (current === line) {
      panel.replaceChildren(...content);
      panel.classList.add("open");
    }
  };

  const coverOf = async (name, data) => (data.lines.length ? load("cover-" + name) : { base: "", pairs: [] });
  const ofPairAt = (cover, data, offset) => ofPair(data, cover, pair.index, run.chunk).letters[offset];

  const ways = (branches) => {
    const head = el("tr", {}, ...["", "pairs", "a only", "b only", "both"].map((label) => el("th", { scope: "col" }, label)));
    const rows = branches.map(([, ran, a, b, count], i) => {
      const state = a && b ? "e" : a ? "a" : b ? "b" : ran ? "x" : "n";
      return el("tr", {}, el("th", { scope: "row", title: NAMES[state] }, GLYPHS[state] + " " + i), ...[ran, a, b, ran - count].map((of) => el("td", {}, number(of))));
    });
    return el("table", { class: "plain" }, el("thead", {}, head), el("tbody", {}, ...rows));
  };

  // The mutants of a line: their verdicts, and on demand each of them.
  const changes = (line) => {
    const summary = [...verdicts(line)].filter(([, count]) => count).map(([verdict, count]) => number(count) + " " + verdict).join(", ");
    const rows = mutants.get(line).map((of) => {
      const [, at, operator, , kills] = of;
      const verdict = verdictOf(of);
      const by = kills.length ? " by " + kills.map((relation) => run.relations[relation]).join(", ") : "";
      return el("tr", {}, el("td", {}, number(at)), el("td", { class: "text" }, change(run.mutants.operators[operator])), el("td", { class: "text verdict-" + verdict.replace(" ", "-") }, verdict + by));
    });
    const head = el("tr", {}, el("th", { scope: "col" }, "column"), ...["change", "verdict"].map((label) => el("th", { scope: "col", class: "text" }, label)));
    return el("details", { class: "mutants", open: rows.length <= 6 }, el("summary", {}, summary), el("table", { class: "plain words" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  };

  // The pairs that run a line, those that differ in it first: searchable, and a hundred at most.
  const pairsOf = async (name, data, offset) => {
    const [cover, pairs] = await Promise.all([coverOf(name, data), load("pairs")]);
    const mine = data.lines.flatMap(([line], place) => (line === offset ? [place] : []));
    const base = mine.map((place) => Number(cover.base[place]));
    const found = new Map(cover.pairs.map(([index, text]) => {
      const list = stretches(text);
      return [index, mine.map((place, i) => (list.find(([start, end]) => start <= place && place < end) || [0, 0, base[i]])[2])];
    }));
    const all = pairs
      .map(([relation, pairName, verdict], index) => ({ index, verdict, relation: run.relations[relation], name: pairName, state: (found.get(index) || base).map((of) => BY_NUMBER[of]).reduce(strongest, " ") }))
      .filter((of) => ["measured", "holds", "violated"].includes(of.verdict));
    const wanted = { v: all.filter((of) => group(of.state) === "v"), x: all.filter((of) => of.state === "x"), n: all.filter((of) => of.state === "n") };
    const labels = { v: ["differs in it", "differ in it"], x: ["runs it on both sides", "run it on both sides"], n: ["does not run it", "do not run it"] };
    const list = el("ol", { class: "pairs" });
    const field = el("input", { type: "search", placeholder: "Filter pairs", "aria-label": "Filter pairs of this line" });
    const select = el("select", { "aria-label": "Which pairs" }, ...Object.keys(labels).map((key) => el("option", { value: key }, plural(wanted[key].length, ...labels[key]))));
    select.value = wanted.v.length ? "v" : wanted.x.length ? "x" : "n";
    const update = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = wanted[select.value].filter((of) => words.every((word) => (of.relation + " " + of.name + " " + of.verdict).toLowerCase().includes(word)));
      list.replaceChildren(
        ...rows.slice(0, 100).map((of) =>
          el("li", {}, el("span", { class: "glyph", title: OF_PAIR[of.state] }, GLYPHS[of.state]), " ", el("a", { href: at("pairs.html", { p: of.index }) }, of.relation + " " + of.name), of.verdict === "violated" ? el("span", { class: "verdict violated" }, " violated") : null, " ", el("a", { class: "muted", href: at("source.html", { f: file, l: current, p: of.index }), title: "this file as this pair runs it" }, "view")),
        ),
        ...(rows.length > 100 ? [el("li", { class: "muted" }, "and " + number(rows.length - 100) + " more; filter to see them")] : []),
      );
    };
    field.addEventListener("input", update);
    select.addEventListener("change", update);
    update();
    return el("div", {}, el("div", { class: "tools" }, select, field), list);
  };

  // The whole file as a strip beside it, with the chosen state highlighted.
  const draw = () => {
    const [width, height] = [map.clientWidth, map.clientHeight];
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    map.width = width * ratio;
    map.height = height * ratio;
    const context = map.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const lines = states.length;
    const rows = Math.min(map.height, lines);
    for (let row = 0; row < rows; row += 1) {
      const [start, end] = [Math.floor((row * lines) / rows), Math.max(Math.floor(((row + 1) * lines) / rows), Math.floor((row * lines) / rows) + 1)];
      const seen = { v: 0, x: 0, n: 0 };
      for (let line = start; line < end; line += 1) {
        const state = pair ? (pair.places.has(line + 1) ? "v" : " ") : states[line];
        if (state !== " ") seen[group(state)] += 1;
      }
      const total = seen.v + seen.x + seen.n;
      if (!total) continue;
      let left = 0;
      for (const state of ["v", "x", "n"]) {
        context.fillStyle = style.getPropertyValue("--" + state);
        const part = (seen[state] / total) * map.width;
        context.fillRect(left, (row * map.height) / rows, part, Math.ceil(map.height / rows));
        left += part;
      }
    }
  };
  map.addEventListener("click", (event) => {
    code.scrollTop = (event.offsetY / map.clientHeight) * code.scrollHeight - code.clientHeight / 2;
  });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  code.addEventListener("scroll", () => requestAnimationFrame(tellFunction), { passive: true });

  code.addEventListener("click", (event) => {
    const element = event.target.closest(".chunk");
    if (!element || String(getSelection())) return;
    const offset = Math.floor((event.clientY - element.getBoundingClientRect().top) / HEIGHT);
    look(Number(element.dataset.chunk) * run.chunk + offset + 1, false);
  });
  legend.addEventListener("click", (event) => {
    const chip = event.target.closest("button");
    if (!chip) return;
    target = chip.dataset.state;
    tell();
    go(1);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "n") go(1);
    else if (event.key === "p") go(-1);
    else if (event.key === "Escape") panel.classList.remove("open");
    else if ((run.mutants ? "123456" : "1234").includes(event.key)) {
      target = "vxnfsk"[Number(event.key) - 1];
      tell();
    }
  });

  const route = async () => {
    const values = address();
    const wanted = Math.min(Math.max(Number(values.get("f")) || 0, 0), run.files.length - 1);
    const index = values.has("p") ? Number(values.get("p")) : null;
    if (wanted !== file || index !== (pair && pair.index)) {
      if (index !== null) target = "v";
      current = Number(values.get("l")) || 0;
      await open(wanted, index);
    }
    const wish = values.get("to");
    if (wish && "vxnfsk".includes(wish)) {
      // To the first place of a state from a line on.
      target = wish;
      current = Math.max(Number(values.get("l")) - 1, 0);
      tell();
      go(1);
    } else if (Number(values.get("l"))) look(Math.min(Number(values.get("l")), states.length), true);
    else tellFunction();
    await fillAll();
  };
  addEventListener("hashchange", () => route().catch(metacov.fail));
  code.focus({ preventScroll: true });
  await route();
})().catch(metacov.fail);
