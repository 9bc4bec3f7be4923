// State and wiring: one place that knows which path, which alpha and which sort order is shown.

const data = JSON.parse(byId("data").textContent);
const tracks = data.tracks.map((track) => readTrack(track, data));
const PAGE = 100;
const state = { t: 0, k: 0, sort: { key: "size", up: false }, limit: PAGE, focus: null };
let charts = {};

const names = (f) => nameOf(data, f);
const track = () => tracks[state.t];

// Points worth a line in a chart: what a rule would choose, and what was chosen.
function curveMarks(curve) {
  const best = curve.higher ? "highest" : "lowest";
  const at = curve.chosen;
  const mark = (k, label, title) => ({ k, label: k === at ? label + ", chosen" : label, title, chosen: k === at });
  const marks = [mark(curve.best, best, (curve.higher ? "Highest " : "Lowest ") + curve.label)];
  if (curve.oneSe !== null && curve.oneSe !== curve.best) marks.push(mark(curve.oneSe, "1 SE", "One standard error"));
  return marks;
}

function marksOf(t) {
  const marks = [];
  for (const mark of t.curve ? curveMarks(t.curve) : []) {
    const k = nearestAlpha(t.alphas, t.curve.alphas[mark.k]);
    if (k >= 0) marks.push({ ...mark, k });
  }
  const choice = choiceOf(t);
  if (choice && !marks.some((m) => m.k === choice.alpha) && t.alphas.length > 1) {
    marks.push({ k: choice.alpha, label: "chosen", title: "Chosen (" + choice.rule + ")", chosen: true });
  }
  return marks;
}

function choiceOf(t) { return data.choices.find((choice) => choice.track === tracks.indexOf(t)); }

// Where a path opens: at the chosen point, else where about a dozen features are in, a readable
// picture.
function openingAlpha(t) {
  const choice = choiceOf(t);
  if (choice) return choice.alpha;
  const dozen = t.support.findIndex((size) => size >= 12);
  return dozen >= 0 ? dozen : t.alphas.length - 1;
}

function openingWords(t) {
  const choice = choiceOf(t), alpha = "\u03b1 = " + fmt(t.alphas[openingAlpha(t)], 5);
  if (t.alphas.length === 1) return "";
  return choice ? ` Chosen: ${alpha} (${choice.rule}).`
    : ` No \u03b1 was chosen; the page opens at ${alpha}, where ${plural(t.support[openingAlpha(t)], "feature")} are in.`;
}

// Why a path ends where it does, when that is not where its grid ends.
function endingWords(t) {
  const choice = choiceOf(t), last = t.alphas.length - 1;
  if (t.curve && choice && choice.alpha === last && t.curve.alphas.length > t.alphas.length) {
    return " The path on all rows ends here; smaller \u03b1 were only tried on the folds (next chart).";
  }
  return t.ended === "complete" ? "" : ` The path ended before its last \u03b1: ${t.ended.replace("_", " ")}.`;
}

function drawTrack() {
  const t = track();
  const marks = marksOf(t);
  charts = { path: pathChart(byId("path-chart"), t, marks) };
  charts.size = smallChart(byId("size-chart"), t, t.support, false);
  charts.passes = smallChart(byId("passes-chart"), t, t.passes, true);
  byId("curve-panel").hidden = !t.curve;
  if (t.curve) charts.curve = curveChart(byId("curve-chart"), t, curveMarks(t.curve));
  showFit(data.fit, leftOutWords(t));
  showClasses(t);
  drawAlpha();
}

// What is known of rows that no fit has seen, for comparison with the rows of the fit.
function leftOutWords(t) {
  const at = t.curve ? nearestAlpha(t.curve.alphas, t.alphas[openingAlpha(t)]) : -1;
  const share = at >= 0 ? leftOutShare(t, at) : null;
  return share === null ? "" : `R\u00b2 on the rows left out of each fold is ${fmt(share, 3)}`;
}

// On a page too narrow for names beside the chart they stand below it; the table has them all.
function showNames(point, beside) {
  const host = byId("path-names"), most = 30;
  host.replaceChildren();
  if (beside) return;
  for (const { f, v } of point.slice(0, most)) {
    const item = el(host, "span", names(f) + " ");
    el(item, "b", fmt(v, 3), { class: v > 0 ? "pos" : "neg" });
  }
  if (point.length > most) el(host, "span", `and ${count(point.length - most)} more in the table`);
}

function drawAlpha() {
  const t = track(), k = state.k, point = pointAt(data, t, k);
  moveCursor(charts.path, k, point, names);
  showNames(point, hasGutter(byId("path-chart")));
  heat(charts.path, state.focus);
  for (const name of ["size", "passes", "curve"]) {
    if (!charts[name]) continue;
    const x = charts[name].scale.ofAlpha(t.alphas[k]);
    charts[name].cursor.setAttribute("x1", x);
    charts[name].cursor.setAttribute("x2", x);
  }
}

function describe(t) {
  const shown = Math.min(charts.path.nDrawn, MAX_LINES);
  byId("path-hint").textContent = "Move along the path with the slider, by dragging in the chart, or with the arrow keys when the chart has the focus; up and down step through the features." +
    (data.scale ? " Drawn is the effect of one standard deviation of each column; the table has the coefficients too." : "") + endingWords(t);
  const legend = byId("path-legend");
  legend.replaceChildren();
  const item = (cls, colour, text) => {
    const span = el(legend, "span");
    const swatch = el(span, "span", null, { class: cls });
    if (colour) swatch.style.borderTopColor = colour;
    span.appendChild(document.createTextNode(text));
  };
  item("swatch", "var(--pos)", "positive at this \u03b1");
  item("swatch", "var(--neg)", "negative at this \u03b1");
  item("swatch", "var(--off)", "zero at this \u03b1");
  if (t.region.some((c) => !c)) item("swatch block", null, "not convex on the support: other minima may be near");
  if (t.rows.size > shown) el(legend, "span", `The ${count(shown)} largest of ${count(t.rows.size)} lines are drawn; the table has all.`);
  if (data.nDropped) el(legend, "span", `To keep the file small, the ${count(data.nDropped)} smallest features are counted but not listed.`);
  byId("size-chart").setAttribute("aria-label", `Number of selected features along the path, from ${t.support[0]} to ${t.support[t.support.length - 1]}.`);
  byId("passes-chart").setAttribute("aria-label", `Passes over the data per alpha, at most ${fmt(Math.max(...t.passes), 3)}.`);
  if (t.curve) describeCurve(t.curve, choiceOf(t), charts.curve.cut);
}

function describeCurve(curve, choice, cut) {
  const best = curve.best, word = curve.higher ? "highest" : "lowest";
  byId("curve-h").textContent = curve.nFolds ? "Cross-validation" : "Model selection";
  byId("curve-hint").textContent = (curve.nFolds
    ? `${curve.name}: ${curve.label} on the rows left out, mean over ${curve.nFolds} folds; the band is one standard error either side.`
    : `${curve.name}: ${curve.label} at every alpha.`) + (choice ? ` Chosen by: ${choice.rule}.` : "") +
    (cut ? " The scale is that of the best scores; worse ones are at its edge." : "");
  byId("curve-chart").setAttribute("aria-label",
    `${curve.label}: ${word} ${fmt(curve.mean[best], 4)} at alpha ${fmt(curve.alphas[best], 4)} with ${fmt(curve.support[best], 3)} features${curve.nFolds ? " in a fold on average" : ""}.`);
}

function setTrack(index, alpha) {
  const before = track();
  state.t = index;
  const t = track();
  // From chosen point to chosen point; from elsewhere to the same part of the other path.
  const left = choiceOf(before), part = before.alphas.length > 1 ? state.k / (before.alphas.length - 1) : 0;
  const keep = left && left.alpha === state.k && choiceOf(t) ? choiceOf(t).alpha : Math.round(part * (t.alphas.length - 1));
  state.k = alpha === undefined ? keep : alpha;
  state.focus = null;
  const slider = byId("alpha");
  slider.max = t.alphas.length - 1;
  slider.disabled = t.alphas.length === 1;
  byId("lead").textContent = `${t.label}, ${plural(t.alphas.length, "value")} of \u03b1 from ${fmt(t.alphas[0])} to ${fmt(t.alphas[t.alphas.length - 1])}; ${data.nRows ? plural(data.nRows, "row") + ", " : ""}${plural(data.nFeatures, "feature")}.` + openingWords(t);
  fillShapes();
  fillJumps();
  showLedger(t, data);
  showCompare(data, tracks, state.t, (i) => setTrack(i));
  drawTrack();
  describe(t);
  setAlpha(state.k, false);
}

function setAlpha(k, speak = true) {
  const t = track();
  state.k = Math.max(0, Math.min(t.alphas.length - 1, k));
  state.limit = PAGE;
  const words = `alpha ${fmt(t.alphas[state.k], 4)}, ${plural(t.support[state.k], "feature")} selected`;
  byId("alpha").value = state.k;
  byId("alpha").setAttribute("aria-valuetext", words);
  byId("alpha-value").textContent = fmt(t.alphas[state.k], 5);
  byId("alpha-up").disabled = state.k === 0;
  byId("alpha-down").disabled = state.k === t.alphas.length - 1;
  byId("path-chart").setAttribute("aria-label", "Coefficient path. " + words + ". Arrow keys move.");
  drawAlpha();
  showTiles(t, state.k);
  showCertificate(t, state.k, data);
  markLedger(state.k);
  showTable();
  if (speak) byId("live").textContent = words;
}

function filteredRows() {
  const needle = byId("search").value.trim().toLowerCase();
  const rows = tableRows(data, track(), state.k, byId("ever").checked);
  const found = needle ? rows.filter((row) => row.name.toLowerCase().includes(needle)) : rows;
  return { all: rows.length, rows: sortRows(found, state.sort.key, state.sort.up) };
}

function showTable() {
  const { all, rows } = filteredRows();
  showHead(state.sort, Boolean(data.scale), onSort);
  showRows(rows, state.limit, Boolean(data.scale), (f) => heat(charts.path, f));
  const what = byId("ever").checked ? "features selected somewhere on the path" : "features selected at this alpha";
  byId("count").textContent = `${rows.length === all ? count(all) : count(rows.length) + " of " + count(all)} ${what}; intercept ${fmt(interceptAt(track(), state.k), 6)}.`;
  byId("more").hidden = rows.length <= state.limit;
  byId("more").textContent = `Show ${count(Math.min(PAGE, rows.length - state.limit))} more of ${count(rows.length)}`;
}

function onSort(column) {
  state.sort = state.sort.key === column.key ? { key: column.key, up: !state.sort.up } : { key: column.key, up: Boolean(column.up) };
  showTable();
  byId("table").querySelector(`button[data-key="${column.key}"]`).focus();
}

function download() {
  const t = track();
  const blob = new Blob([csvOf(filteredRows().rows, t.intercept[state.k], Boolean(data.scale))], { type: "text/csv;charset=utf-8" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = ("features-" + t.penalty + "-alpha-" + t.alphas[state.k].toPrecision(6)).replace(/[^\w.-]+/g, "_") + ".csv";
  document.body.appendChild(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function penaltyNames() { return [...new Set(tracks.map((t) => t.penalty))]; }

function fillPenalties() {
  const select = byId("penalty");
  penaltyNames().forEach((name) => el(select, "option", name, { value: name }));
  byId("penalty-field").hidden = penaltyNames().length < 2;
  select.addEventListener("change", () => setTrack(tracks.findIndex((t) => t.penalty === select.value)));
  byId("shape").addEventListener("change", () => setTrack(Number(byId("shape").value)));
}

function fillShapes() {
  const select = byId("shape"), same = tracks.map((t, i) => i).filter((i) => tracks[i].penalty === track().penalty);
  select.replaceChildren();
  same.forEach((i) => el(select, "option", tracks[i].shape || "default", { value: i }));
  select.value = String(state.t);
  byId("penalty").value = track().penalty;
  byId("shape-field").hidden = same.length < 2;
}

function fillJumps() {
  const host = byId("jumps");
  host.replaceChildren();
  for (const mark of marksOf(track())) {
    el(host, "button", mark.title, { type: "button" }).addEventListener("click", () => setAlpha(mark.k));
  }
}

function showTip(event, entry) {
  const t = track(), row = t.rows.get(entry.f);
  tipAt(event, names(entry.f), `coefficient ${fmt(entry.w, 5)}${data.scale ? ", per std. dev. " + fmt(entry.v, 4) : ""}; enters at \u03b1 = ${fmt(t.alphas[row.k[0]], 4)}`);
}

function tipAt(event, head, text) {
  const tip = byId("tip");
  tip.replaceChildren();
  el(tip, "b", head);
  el(tip, "span", text);
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = Math.max(4, event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18) + "px";
}

function wireChart() {
  const host = byId("path-chart");
  const local = (event) => {
    const area = host.getBoundingClientRect(), zoom = charts.path.box.width / area.width;
    return { x: (event.clientX - area.left) * zoom, y: (event.clientY - area.top) * zoom };
  };
  host.addEventListener("pointermove", (event) => {
    const { x, y } = local(event), k = charts.path.scale.nearest(x);
    const named = event.target.dataset.f;
    if (named !== undefined || x > charts.path.box.right) {
      const entry = pointAt(data, track(), state.k).find(({ f }) => String(f) === named);
      heat(charts.path, entry ? entry.f : state.focus);
      if (entry) showTip(event, entry); else byId("tip").hidden = true;
      return;
    }
    if (event.buttons === 1 && k !== state.k) setAlpha(k);
    const near = featureNear(charts.path, k, pointAt(data, track(), k), y);
    heat(charts.path, near ? near.f : state.focus);
    if (near) showTip(event, near); else byId("tip").hidden = true;
  });
  host.addEventListener("pointerleave", () => { byId("tip").hidden = true; heat(charts.path, state.focus); });
  host.addEventListener("pointerdown", (event) => { 
    host.focus({ preventScroll: true });
    if (event.target.dataset.f === undefined) setAlpha(charts.path.scale.nearest(local(event).x));
  });
  host.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };
    if (event.key in steps) setAlpha(state.k + steps[event.key]);
    else if (event.key === "Home") setAlpha(0);
    else if (event.key === "End") setAlpha(track().alphas.length - 1);
    else if (event.key === "ArrowDown") stepFeature(1);
    else if (event.key === "ArrowUp") stepFeature(-1);
    else if (event.key === "Escape") { state.focus = null; heat(charts.path, null); }
    else return;
    event.preventDefault();
  });
  host.addEventListener("blur", () => { state.focus = null; heat(charts.path, null); });
}

// Hover over the scores: what each of them is.
function wireCurve() {
  const host = byId("curve-chart");
  host.addEventListener("pointermove", (event) => {
    const { curve } = track(), { box, scale } = charts.curve, area = host.getBoundingClientRect();
    const x = (event.clientX - area.left) * box.width / area.width, k = scale.nearest(x);
    if (x > box.right + 8 || curve.mean[k] === null) { byId("tip").hidden = true; return; }
    const share = leftOutShare(track(), k);
    tipAt(event, `\u03b1 = ${fmt(curve.alphas[k], 4)}`, `${curve.label} ${fmt(curve.mean[k], 5)}` +
      (curve.error ? ` \u00b1 ${fmt(curve.error[k], 3)}` : "") + (share === null ? "" : `, R\u00b2 ${fmt(share, 3)}`) +
      `; ${fmt(curve.support[k], 3)} features${curve.nFolds ? " on average" : ""}`);
  });
  host.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
}

function stepFeature(step) {
  const point = pointAt(data, track(), state.k);
  if (!point.length) { byId("live").textContent = "No feature is selected here."; return; }
  const now = point.findIndex((entry) => entry.f === state.focus);
  const next = now < 0 ? (step > 0 ? 0 : point.length - 1) : (now + step + point.length) % point.length;
  state.focus = point[next].f;
  heat(charts.path, state.focus);
  byId("live").textContent = `${names(state.focus)}, coefficient ${fmt(point[next].w, 4)}, number ${next + 1} of ${point.length} by size`;
}

function wireTheme() {
  const root = document.documentElement, button = byId("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => { button.setAttribute("aria-pressed", String(dark())); button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours"); button.removeAttribute("aria-pressed"); };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); });
  label();
}

function showMade() {
  byId("reproduce").textContent = data.reproduce;
  const list = byId("made");
  for (const [key, value] of Object.entries(data.settings).concat(Object.entries(data.made))) {
    el(list, "dt", key);
    el(list, "dd", value);
  }
  el(list, "dt", "coefficients");
  el(list, "dd", data.valueBytes === 8 ? "stored in double precision" : "stored in single precision (7 digits)");
  if (data.notes) { byId("notes").textContent = data.notes; byId("notes").hidden = false; }
}

async function copyCode() {
  try { await navigator.clipboard.writeText(data.reproduce); } catch { getSelection().selectAllChildren(byId("reproduce")); }
  byId("live").textContent = "Code copied or selected.";
}

function start() {
  fillPenalties();
  showMade();
  wireChart();
  wireCurve();
  wireTheme();
  byId("alpha").addEventListener("input", () => setAlpha(Number(byId("alpha").value), false));
  byId("alpha-up").addEventListener("click", () => setAlpha(state.k - 1));
  byId("alpha-down").addEventListener("click", () => setAlpha(state.k + 1));
  byId("search").addEventListener("input", () => { state.limit = PAGE; showTable(); });
  byId("ever").addEventListener("change", () => { state.limit = PAGE; showTable(); });
  byId("more").addEventListener("click", () => { state.limit += PAGE; showTable(); });
  byId("download").addEventListener("click", download);
  byId("print").addEventListener("click", () => window.print());
  byId("copy").addEventListener("click", copyCode);
  const opened = data.choices.length ? data.choices[0].track : 0;
  setTrack(opened, openingAlpha(tracks[opened]));
  let width = byId("path-chart").clientWidth;
  new ResizeObserver(() => {
    const now = byId("path-chart").clientWidth;
    if (now && Math.abs(now - width) > 2 && !matchMedia("print").matches) { width = now; drawTrack(); }
  }).observe(byId("path-chart"));
}

start();
