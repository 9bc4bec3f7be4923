// Words and tables. Everything that comes from the data goes in as text, never as markup.

function el(parent, tag, text, attributes = {}) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (parent) parent.appendChild(node);
  return node;
}

function byId(id) { return document.getElementById(id); }

function cells(row, tag, texts) { texts.forEach((text) => el(row, tag, text)); }

function showTiles(track, k) {
  const done = track.status[k] === "converged";
  const tiles = [
    [count(track.support[k]), "features selected"],
    [done ? "certified" : "not converged", isGlobal(track, k) ? "global minimum" : "critical point", done ? "good" : "bad"],
    [fmt(track.kkt[k], 2), "largest violation"],
    [fmt(track.objective[k], 4), "objective"],
    [fmt(interceptAt(track, k), 4), "intercept"],
  ];
  if (track.r2[k] !== null) tiles.splice(1, 0, [percent(track.r2[k], 1), track.explained + " explained (in sample)"]);
  const at = track.curve ? nearestAlpha(track.curve.alphas, track.alphas[k]) : -1;
  if (at >= 0 && track.curve.mean[at] !== null) tiles.splice(1, 0, [fmt(track.curve.mean[at], 4), track.curve.label + (track.curve.nFolds ? " (left-out rows)" : "")]);
  const share = at >= 0 ? leftOutShare(track, at) : null;
  if (share !== null) tiles.splice(2, 0, [percent(Math.max(share, 0), 1), "variance explained (left-out rows)"]);
  tiles.splice(2, 0, ...classTiles(track, k));
  byId("tiles").replaceChildren();
  for (const [value, label, tone] of tiles) {
    const tile = el(byId("tiles"), "div", null, { class: "tile" });
    el(tile, "b", value, { class: [tone || "", value.length > 6 ? "long" : ""].join(" ").trim() });
    el(tile, "span", label);
  }
}

// R2 on the rows left out: of a path that begins with no feature, the first objective is half of the variance of y.
function leftOutShare(track, at) {
  const { curve } = track;
  if (!curve.nFolds || curve.label !== "mean squared error" || curve.mean[at] === null) return null;
  return track.support[0] === 0 && track.objective[0] > 0 ? 1 - curve.mean[at] / (2 * track.objective[0]) : null;
}

// On centred data the intercept is zero; a computed one that is rounding against the residuals,
// whose mean square is at most twice the objective, is shown as what it is.
function interceptAt(track, k) {
  const b = track.intercept[k], rounding = 1e-12 * Math.sqrt(2 * Math.max(track.objective[k], 0));
  return Math.abs(b) <= rounding ? 0 : b;
}

// Position of alpha among the given ones, -1 when it is none of them.
function nearestAlpha(alphas, alpha) {
  return alphas.findIndex((a) => Math.abs(a / alpha - 1) < 1e-9);
}

function certificateWords(track, k, nFeatures) {
  const words = [], done = track.status[k] === "converged";
  const alpha = "\u03b1 = " + fmt(track.alphas[k], 6);
  words.push(done
    ? `At ${alpha} the coefficients are a critical point of the penalised objective: to first order, no small change of any coefficient lowers it.`
    : `At ${alpha} the solver stopped early (${track.status[k]}): the coefficients are not a critical point to the tolerance that was asked for, and should not be reported as one.`);
  words.push(`The largest violation of that condition over all ${count(nFeatures)} features is ${fmt(track.kkt[k], 3)} of the penalty's slope at zero. ` +
    "A selected feature's correlation with the residual must equal the slope of the penalty at its coefficient; that of any other feature must not exceed the slope at zero.");
  if (track.tolRelativeTo === "path") {
    words.push("The tolerance of this path is relative to the slope at its first \u03b1: towards the end a larger fraction of the slope there counts as converged.");
  }
  const bound = track.byBound[k], read = track.byReading[k];
  if (bound !== null && bound !== undefined) {
    const shadow = track.byShadow[k] || 0, rest = nFeatures - bound - read - shadow;
    words.push(`No feature was left out. For ${plural(rest, "feature")} the condition was computed from the working set (constant or excluded columns count here too), ${count(read)} had their column read, ` +
      (shadow ? `${count(shadow)} were settled by an 8-bit copy of their column whose error is bounded, ` : "") +
      `and for ${count(bound)} an upper bound of the correlation, proven with a margin for rounding, already lies below the threshold.`);
  }
  return words;
}

// Where a solve began decides which critical point it ends in.
function startWords(start) {
  return {
    previous: "The solve started from the point before it on the path.",
    lasso: "The solve started from a lasso.",
    upwards: "The solve started from the next smaller \u03b1.",
    given: "The solve started from given coefficients.",
  }[start] || "";
}

function strengthWords(minimum) {
  return {
    coordinatewise: " No change of a single coefficient, however large, lowers the objective by more than the tolerance.",
    swap: " No change of a single coefficient, however large, and no exchange of one selected feature for another lowers the objective by more than the tolerance.",
  }[minimum] || "";
}

// Whether no coefficients have a lower objective: the penalty is convex, or the whole problem is with these data.
function isGlobal(track, k) { return track.convexPenalty || track.above[k] !== null; }

function minimumWords(track, k) {
  if (track.convexPenalty) {
    return `The problem is convex, so this is a global minimum: by the duality gap the objective is ${gapWords(track.dualGap[k])} above the lowest possible value.`;
  }
  if (isGlobal(track, k)) {
    return `With these data and this penalty the whole problem is convex, so this is the global minimum: the objective is ${gapWords(track.above[k])} above the lowest possible value.`;
  }
  const strict = track.convex[k]
    ? "The objective is strictly convex on the selected features, so among models with this support the point is a strict local minimum." +
      (track.region[k] ? "" : " Further away the objective is not convex on them (shaded in the chart).")
    : "The objective is not strictly convex on the selected features here, so nearby models may fit equally well; read individual coefficients with care.";
  return strict + strengthWords(track.minimum[k]) + ` ${startWords(track.start[k])} The penalty is not convex: other critical points may exist, and no claim is made that this one has the lowest objective of all. ` +
    `The last weighted lasso that led here was solved to a duality gap of ${fmt(Math.max(track.dualGap[k], 0), 3)}.`;
}

// A gap is never negative; one computed as negative is zero up to rounding.
function gapWords(gap) { return gap > 0 ? "at most " + fmt(gap, 3) : "not, up to rounding,"; }

function showCertificate(track, k, data) {
  const host = byId("certificate");
  host.replaceChildren();
  certificateWords(track, k, data.nFeatures).concat(lossWords(track)).forEach((text) => el(host, "p", text));
  el(host, "p", minimumWords(track, k));
  el(host, "p", "What a certificate does not say: it is about the optimisation, not about the data. Selection on the same rows makes ordinary standard errors and p-values too optimistic.");
  const bad = track.status.filter((s) => s !== "converged").length;
  el(host, "p", bad ? `On this path ${bad} of ${track.alphas.length} alphas did not converge.`
    : `All ${track.alphas.length} alphas of this path converged; the largest violation anywhere is ${fmt(Math.max(...track.kkt), 3)}.`,
    { class: bad ? "bad" : "good" });
}

function showLedger(track, data) {
  const n = track.alphas.length, p = data.nFeatures, words = byId("ledger-words");
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  words.replaceChildren();
  const passes = sum(track.passes);
  el(words, "p", `The whole path read ${fmt(passes, 3)} times the size of the data, ${fmt(passes / n, 2)} passes per alpha. ` +
    `Checking every feature at every alpha by reading it takes at least ${count(n)} passes.`);
  if (track.byBound.every((b) => b !== null)) {
    const bound = sum(track.byBound), read = sum(track.byReading), shadow = sum(track.byShadow);
    el(words, "p", `At the last check of each alpha, ${count(n * p)} feature checks in all, ${percent(bound, n * p)} were settled by a proven bound without touching the data, ` +
      `${percent(shadow, n * p)} by an 8-bit copy of the column and ${percent(read, n * p)} by reading the column; the others were in the working set.`);
  }
  const table = byId("ledger");
  table.replaceChildren();
  cells(el(el(table, "thead"), "tr"), "th", ["\u03b1", "selected", "settled by bound", "by 8-bit copy", "by reading", "in working set", "passes", "iterations", "violation", "started from", "ended"]);
  table.querySelectorAll("th").forEach((th) => th.setAttribute("scope", "col"));
  const body = el(table, "tbody");
  track.alphas.forEach((alpha, k) => {
    const bound = track.byBound[k], read = track.byReading[k], shadow = track.byShadow[k];
    cells(el(body, "tr"), "td", [fmt(alpha, 5), count(track.support[k]), count(bound), count(shadow), count(read),
      bound === null ? "not known" : count(p - bound - read - shadow), fmt(track.passes[k], 3), count(track.nIter[k]), fmt(track.kkt[k], 2), track.start[k], track.status[k]]);
  });
}

function markLedger(k) {
  byId("ledger").querySelectorAll("tbody tr").forEach((row, i) => {
    row.classList.toggle("now", i === k);
    if (i === k) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
  });
}

function showCompare(data, tracks, now, choose) {
  const byCurve = tracks.length < 2 && data.curves.length > 1;
  byId("compare-panel").hidden = tracks.length < 2 && !byCurve;
  byId("compare").replaceChildren();
  if (byCurve) compareCurves(data.curves, tracks[0].curve);
  else if (tracks.length > 1) compareTracks(tracks, now, choose);
}

function compareTracks(tracks, now, choose) {
  const table = byId("compare");
  cells(el(el(table, "thead"), "tr"), "th", ["penalty", "alphas", "most features", "worst violation", "passes per alpha", "in the charts"]);
  const body = el(table, "tbody");
  tracks.forEach((track, t) => {
    const row = el(body, "tr", null, t === now ? { class: "now" } : {});
    const passes = track.passes.reduce((a, b) => a + b, 0) / track.alphas.length;
    cells(row, "td", [track.label, count(track.alphas.length), count(Math.max(...track.support)), fmt(Math.max(...track.kkt), 2), fmt(passes, 2)]);
    const button = el(el(row, "td"), "button", t === now ? "shown" : "show", { type: "button", "aria-label": "Show " + track.label });
    button.disabled = t === now;
    button.addEventListener("click", () => choose(t));
  });
}

function compareCurves(curves, own) {
  const table = byId("compare");
  cells(el(el(table, "thead"), "tr"), "th", ["penalty", (curves[0].higher ? "highest " : "lowest ") + curves[0].label, "standard error", "at \u03b1", curves[0].nFolds ? "features there, mean over folds" : "features there"]);
  const body = el(table, "tbody");
  for (const curve of curves) {
    const row = el(body, "tr", null, curve === own ? { class: "now" } : {}), k = curve.best;
    cells(row, "td", [curve.name + (curve === own ? " (chosen)" : ""), fmt(curve.mean[k], 4), curve.error ? fmt(curve.error[k], 3) : "", fmt(curve.alphas[k], 4), fmt(curve.support[k], 3)]);
  }
}

const COLUMNS = [
  { key: "name", title: "Feature", up: true },
  { key: "w", title: "Coefficient" },
  { key: "v", title: "Per std. dev.", scaled: true },
  { key: "size", title: "Size" },
  { key: "enter", title: "Enters at \u03b1" },
  { key: "times", title: "Alphas selected" },
];

function tableRows(data, track, k, ever) {
  const values = new Map(pointAt(data, track, k).map((entry) => [entry.f, entry]));
  const rows = [];
  for (const row of track.rows.values()) {
    if (!ever && !values.has(row.f)) continue;
    const { w, v } = values.get(row.f) || { w: 0, v: 0 };
    rows.push({ f: row.f, name: nameOf(data, row.f), w, v, size: Math.abs(v), enter: track.alphas[row.k[0]], times: row.k.length });
  }
  return rows;
}

function sortRows(rows, key, up) {
  const order = key === "name"
    ? (a, b) => a.name.localeCompare(b.name, "en", { numeric: true })
    : (a, b) => a[key] - b[key] || a.f - b.f;
  rows.sort((a, b) => up ? order(a, b) : order(b, a));
  return rows;
}

function showHead(sort, scaled, onSort) {
  const head = byId("table").tHead;
  head.replaceChildren();
  const row = el(head, "tr");
  for (const column of COLUMNS.filter((c) => scaled || !c.scaled)) {
    const th = el(row, "th", null, { scope: "col", class: column.key });
    const active = sort.key === column.key;
    if (active) th.setAttribute("aria-sort", sort.up ? "ascending" : "descending");
    const button = el(th, "button", column.title + (active ? (sort.up ? " \u25b2" : " \u25bc") : ""), { type: "button", "data-key": column.key });
    button.addEventListener("click", () => onSort(column));
  }
}

function showRows(rows, limit, scaled, onHover) {
  const body = byId("table").tBodies[0];
  body.replaceChildren();
  const largest = rows.reduce((m, r) => Math.max(m, r.size), 0) || 1;
  for (const row of rows.slice(0, limit)) {
    const tr = el(body, "tr");
    el(tr, "td", row.name);
    el(tr, "td", fmt(row.w, 6));
    if (scaled) el(tr, "td", fmt(row.v, 4));
    const bar = el(el(el(tr, "td", null, { class: "size", "aria-hidden": "true" }), "div"), "i", null, { class: row.v < 0 ? "neg" : "pos" });
    bar.style.width = (100 * row.size / largest).toFixed(1) + "%";
    el(tr, "td", fmt(row.enter, 4));
    el(tr, "td", count(row.times));
    tr.addEventListener("pointerenter", () => onHover(row.f));
    tr.addEventListener("pointerleave", () => onHover(null));
  }
}

function csvField(text) { return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text; }

// No spreadsheet shall take a name for a formula.
function spreadsheetText(name) { return /^[=+\-@\t\r\n]/.test(name) ? "'" + name : name; }

function csvOf(rows, intercept, scaled) {
  const more = (effect) => scaled ? [effect] : [];
  const lines = [["feature", "coefficient", ...more("per_standard_deviation"), "enters_at_alpha", "alphas_selected"],
    ["(intercept)", intercept, ...more(""), "", ""]]
    .concat(rows.map((r) => [spreadsheetText(r.name), r.w, ...more(r.v), r.enter, r.times]));
  return lines.map((line) => line.map((cell) => csvField(String(cell))).join(",")).join("\r\n") + "\r\n";
}
