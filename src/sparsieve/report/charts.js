// Charts: plain SVG, coloured by style sheet variables so that themes and print need no redraw.

const SVG = "http://www.w3.org/2000/svg";
const MAX_LINES = 1000;   // more lines than that are neither legible nor quick to draw
const LINE = 15;          // from one label to the next
const GUTTER = 170;       // room for labels beside the lines, where the page is wide enough

function svgEl(parent, tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}

function frame(host, height, margin) {
  host.replaceChildren();
  const width = Math.max(host.clientWidth, 280);
  const svg = svgEl(host, "svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" });
  return { svg, width, height, left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
}

// Position of alpha number k: even in log(alpha), strongest penalty on the left.
// An axis may be longer than the path on it.
function alphaScale(box, alphas, axis = alphas) {
  const logs = alphas.map(Math.log);
  const first = Math.log(axis[0]), span = first - Math.log(axis[axis.length - 1]);
  const at = (log) => span > 0 ? box.left + (first - log) / span * (box.right - box.left) : (box.left + box.right) / 2;
  const places = logs.map(at);
  return {
    places, ofAlpha: (alpha) => at(Math.log(alpha)),
    nearest: (x) => { let best = 0; places.forEach((p, k) => { if (Math.abs(p - x) < Math.abs(places[best] - x)) best = k; }); return best; },
  };
}

function niceTicks(low, high, wanted) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const ticks = [];
  for (let t = Math.ceil(low / step); t * step <= high + 1e-9 * step; t++) ticks.push(t * step);
  return { ticks, step };
}

function logTicks(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades > 2.5 ? [1] : decades > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const ticks = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
    for (const m of steps) {
      const t = Number((m * 10 ** p).toPrecision(6));
      if (t >= low * 0.999999 && t <= high * 1.000001) ticks.push(t);
    }
  }
  return ticks;
}

function alphaAxis(box, scale, track, wide) {
  const alphas = track.alphas;
  let ticks = logTicks(alphas[alphas.length - 1], alphas[0]);
  if (!ticks.length) ticks = [alphas[0]];
  let last = Infinity;
  for (const t of ticks) {   // increasing alpha: right to left
    const x = scale.ofAlpha(t);
    if (last - x < 48) continue;
    last = x;
    svgEl(box.svg, "line", { class: "grid", x1: x, x2: x, y1: box.bottom, y2: box.bottom + 5 });
    svgEl(box.svg, "text", { x, y: box.bottom + 19, "text-anchor": "middle" }, fmt(t, 3));
  }
  const title = wide && box.width >= 480 ? "strength \u03b1, log scale (fewer features on the left)" : "\u03b1, log scale";
  svgEl(box.svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, title);
}

function supportAxis(box, scale, track, title = "selected") {
  svgEl(box.svg, "text", { x: box.left - 14, y: box.top - 27, "text-anchor": "end" }, title);
  let last = -Infinity;
  track.support.forEach((size, k) => {
    const x = scale.places[k];
    if (x - last < 62) return;
    last = x;
    svgEl(box.svg, "text", { x, y: box.top - 27, "text-anchor": "middle" }, count(size));
  });
}

function valueAxis(box, low, high, wanted = 5) {
  const pad = (high - low || Math.abs(high) || 1) * 0.06;
  low -= pad; high += pad;
  const y = (v) => box.bottom - (v - low) / (high - low) * (box.bottom - box.top);
  const { ticks, step } = niceTicks(low, high, wanted);
  for (const t of ticks) {
    const value = Math.abs(t) < step * 1e-6 ? 0 : t;
    svgEl(box.svg, "line", { class: value === 0 ? "zero" : "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) });
    svgEl(box.svg, "text", { x: box.left - 8, y: y(value) + 4.5, "text-anchor": "end" }, fmt(value, 4));
  }
  return y;
}

function shadeNotConvex(box, scale, track) {
  const n = track.alphas.length, half = (k, side) => {
    const other = k + side;
    return other < 0 ? box.left : other >= n ? box.right : (scale.places[k] + scale.places[other]) / 2;
  };
  for (let k = 0; k < n; k++) {
    if (track.region[k]) continue;
    let end = k;
    while (end + 1 < n && !track.region[end + 1]) end++;
    svgEl(box.svg, "rect", { class: "shade", x: half(k, -1), y: box.top, width: Math.max(half(end, 1) - half(k, -1), 2), height: box.bottom - box.top });
    k = end;
  }
}

// The alphas of the path and of its curve: both charts then have the same axis, and a choice the same place.
function axisOf(track) {
  const of = [track.alphas, ...(track.curve ? [track.curve.alphas] : [])];
  return [Math.max(...of.map((a) => a[0])), Math.min(...of.map((a) => a[a.length - 1]))];
}

// Where the axis goes on, and the path on all rows does not.
function shadeBeyond(box, scale) {
  const end = scale.places[scale.places.length - 1];
  if (scale.places.length < 2 || box.right - end < 4) return;
  svgEl(box.svg, "rect", { class: "shade beyond", x: end, y: box.top, width: box.right - end, height: box.bottom - box.top });
}

function linePath(row, scale, y) {
  let d = "", previous = -2;
  row.k.forEach((k, i) => {
    if (k !== previous + 1) {   // it enters here: the line starts from zero, one alpha earlier
      if (previous >= 0) d += "L" + scale.places[previous + 1].toFixed(1) + " " + y(0).toFixed(1);
      if (k > 0) d += "M" + scale.places[k - 1].toFixed(1) + " " + y(0).toFixed(1) + "L";
      else d += "M";
    } else d += "L";
    d += scale.places[k].toFixed(1) + " " + y(row.v[i]).toFixed(1);
    previous = k;
  });
  if (previous + 1 < scale.places.length) d += "L" + scale.places[previous + 1].toFixed(1) + " " + y(0).toFixed(1);
  return d;
}

// The two charts that share an axis have the same margins. Names of alphas stand above the plot, those of
// features to its right or, on a narrow page, in a list below: no word lies on a line.
function wideFrame(host, height) {
  return frame(host, height, { left: 66, right: hasGutter(host) ? GUTTER : 18, top: 48, bottom: 48 });
}

function hasGutter(host) { return host.clientWidth >= 620; }

// The coefficient chart. Drawn once per path; `moveCursor` moves the cursor and recolours the lines.
function pathChart(host, track, marks) {
  const box = wideFrame(host, 450);
  const axis = axisOf(track);
  const scale = alphaScale(box, track.alphas, axis);
  const drawn = [...track.rows.values()].sort((a, b) => b.largest - a.largest).slice(0, MAX_LINES);
  let low = 0, high = 0;
  for (const row of drawn) for (const v of row.v) { low = Math.min(low, v); high = Math.max(high, v); }
  shadeNotConvex(box, scale, track);
  const y = valueAxis(box, low, high);
  alphaAxis(box, scale, { alphas: axis }, true);
  supportAxis(box, scale, track);
  shadeBeyond(box, scale);
  const lines = new Map();
  const single = track.alphas.length === 1;
  for (const row of drawn.slice().reverse()) {
    const line = svgEl(box.svg, "path", { class: "line", d: single ? "" : linePath(row, scale, y) });
    lines.set(row.f, { line, row });
  }
  drawMarks(box, scale, marks);
  const hot = svgEl(box.svg, "path", { class: "line hot", d: "" });
  const cursor = svgEl(box.svg, "line", { class: "cursor", y1: box.top, y2: box.bottom });
  const labels = svgEl(box.svg, "g");
  return { host, box, scale, y, lines, hot, cursor, labels, nDrawn: drawn.length };
}

// Marked alphas, with their names above the plot: centred where they are far enough apart, else side by side.
function drawMarks(box, scale, marks) {
  const placed = marks.slice().sort((a, b) => a.k - b.k).map((mark) => ({ mark, x: scale.places[mark.k] }));
  for (const { mark, x } of placed) {
    svgEl(box.svg, "line", { class: mark.chosen ? "mark chosen" : "mark", x1: x, x2: x, y1: box.top, y2: box.bottom });
    const text = svgEl(box.svg, "text", { class: "label", x, y: box.top - 7, "text-anchor": "middle" }, mark.label);
    placed.find((p) => p.mark === mark).text = text;
  }
  placed.forEach(({ text, x }, i) => {
    const half = text.getComputedTextLength() / 2, gap = 4;
    const room = (j) => j in placed ? Math.abs(placed[j].x - x) - placed[j].text.getComputedTextLength() / 2 - gap : Infinity;
    const crowdedLeft = room(i - 1) < half, crowdedRight = room(i + 1) < half;
    // Never beyond the edges of the page.
    if ((crowdedRight && !crowdedLeft) || x + half > box.width) text.setAttribute("text-anchor", "end");
    else if (crowdedLeft || x - half < 0) text.setAttribute("text-anchor", "start");
  });
}

function moveCursor(chart, k, point, names) {
  const x = chart.scale.places[k];
  chart.cursor.setAttribute("x1", x);
  chart.cursor.setAttribute("x2", x);
  const sign = new Map(point.map((entry) => [entry.f, entry.v > 0 ? "pos" : "neg"]));
  for (const [f, { line }] of chart.lines) line.setAttribute("class", "line " + (sign.get(f) || ""));
  chart.labels.replaceChildren();
  for (const { f, v } of point.slice(0, MAX_LINES)) {
    if (point.length <= 60 || chart.scale.places.length === 1) {
      svgEl(chart.labels, "circle", { class: "dot " + sign.get(f), cx: x, cy: chart.y(v), r: 4 });
    }
  }
  if (hasGutter(chart.host)) labelPoint(chart, x, point, names);
}

// The features of a point by name, beside the plot: all of them, or as many as there is room for.
function labelPoint(chart, x, point, names) {
  const { box } = chart, room = Math.floor((box.bottom - box.top) / LINE);
  const named = point.length <= room ? point : point.slice(0, room - 1);
  const spots = named.map(({ f, v }) => ({ f, from: chart.y(v), at: chart.y(v) }));
  const more = point.length - named.length;
  spread(spots, LINE, box.top + 6, box.bottom - (more ? LINE + 6 : 6));
  for (const { f, from, at } of spots) {
    svgEl(chart.labels, "path", { class: "leader", d: `M${x + 5} ${from}L${box.right} ${from}` });
    svgEl(chart.labels, "path", { class: "leader tie", d: `M${box.right} ${from}L${box.right + 14} ${at}` });
    const text = svgEl(chart.labels, "text", { class: "label feature", x: box.right + 18, y: at + 4.5, "data-f": f }, names(f));
    shorten(text, box.width - box.right - 20);
  }
  if (more > 0) svgEl(chart.labels, "text", { class: "label more", x: box.right + 18, y: box.bottom + 4 }, `and ${count(more)} more below`);
}

// Cut the end off a name that is wider than its room.
function shorten(text, room) {
  let name = text.textContent;
  while (name.length > 1 && text.getComputedTextLength() > room) {
    name = name.slice(0, Math.min(name.length - 1, Math.floor(name.length * room / text.getComputedTextLength())));
    text.textContent = name + "\u2026";
  }
}

// Move labels apart, each as little as keeps their order: neighbours that would overlap share the
// room around their common middle.
function spread(spots, gap, low, high) {
  spots.sort((a, b) => a.from - b.from);
  const groupOf = (members) => {
    const half = (members.length - 1) * gap / 2, mean = members.reduce((sum, s) => sum + s.from, 0) / members.length;
    const middle = Math.min(Math.max(mean, low + half), high - half);
    return { members, top: middle - half, bottom: middle + half };
  };
  const groups = [];
  for (const spot of spots) {
    let group = groupOf([spot]);
    while (groups.length && group.top - groups[groups.length - 1].bottom < gap) {
      group = groupOf(groups.pop().members.concat(group.members));
    }
    groups.push(group);
  }
  for (const { members, top } of groups) members.forEach((spot, i) => { spot.at = top + i * gap; });
}

function heat(chart, f) {
  const found = chart.lines.get(f);
  chart.hot.setAttribute("d", found ? found.line.getAttribute("d") : "");
}

// The feature whose line passes closest to (x, y) at the nearest alpha, within reach.
function featureNear(chart, k, point, y) {
  let best = null, distance = 28;
  for (const entry of point) {
    const d = Math.abs(chart.y(entry.v) - y);
    if (d < distance && chart.lines.has(entry.f)) { distance = d; best = entry; }
  }
  return best;
}

// The curve has alphas of its own: a path may end where a rule chose, the curve goes on.
function curveChart(host, track, marks) {
  const { curve } = track;
  const box = wideFrame(host, 340);
  const scale = alphaScale(box, curve.alphas, axisOf(track));
  const { mean, error } = curve;
  let low = Infinity, high = -Infinity;
  mean.forEach((m, k) => {
    if (m === null) return;
    low = Math.min(low, m - (error ? error[k] : 0));
    high = Math.max(high, m + (error ? error[k] : 0));
  });
  const cut = zoomed(curve, low, high);
  const y = valueAxis(box, cut.low, cut.high, 5);
  alphaAxis(box, scale, { alphas: axisOf(track) }, true);
  if (hasGutter(host)) shareAxis(box, y, cut, track);
  supportAxis(box, scale, { support: curve.support.map(Math.round) }, curve.nFolds ? "mean" : "selected");
  const known = mean.map((m, k) => k).filter((k) => mean[k] !== null);
  const inside = (v) => Math.min(Math.max(y(v), box.top), box.bottom);
  const place = (k, v) => scale.places[k].toFixed(1) + " " + inside(v).toFixed(1);
  if (error) {
    const upper = known.map((k) => place(k, mean[k] + error[k])), lower = known.map((k) => place(k, mean[k] - error[k])).reverse();
    svgEl(box.svg, "path", { class: "band", d: "M" + upper.concat(lower).join("L") + "Z" });
  }
  svgEl(box.svg, "path", { class: "line pos", d: "M" + known.map((k) => place(k, mean[k])).join("L") });
  for (const k of known) svgEl(box.svg, "circle", { class: "dot pos", cx: scale.places[k], cy: inside(mean[k]), r: known.length > 60 ? 2.5 : 3.5 });
  drawMarks(box, scale, marks);
  const cursor = svgEl(box.svg, "line", { class: "cursor", y1: box.top, y2: box.bottom });
  return { box, scale, cursor, cut: cut.low > low || cut.high < high };
}

// On the right, what the scores mean as a share of the variance of the rows left out.
function shareAxis(box, y, cut, track) {
  const error = (share) => (1 - share) * 2 * track.objective[0];
  if (leftOutShare(track, track.curve.best) === null) return;
  const share = (score) => 1 - score / error(0);
  const { ticks, step } = niceTicks(share(cut.high), share(cut.low), 5);
  for (const t of ticks) {
    const at = y(error(t));
    svgEl(box.svg, "line", { class: "grid", x1: box.right, x2: box.right + 5, y1: at, y2: at });
    svgEl(box.svg, "text", { x: box.right + 9, y: at + 4.5 }, fmt(Math.abs(t) < step * 1e-6 ? 0 : t, 3));
  }
  svgEl(box.svg, "text", { x: box.right + 9, y: box.top - 8 }, "R\u00b2 left out");
}

// A range of scores on which the choice can be seen: the scores of the strongest penalties are so bad that next to them all
// others look alike. Six standard errors of the best one either side, or without folds a third of all, is enough.
function zoomed(curve, low, high) {
  const best = curve.mean[curve.best], error = curve.error ? curve.error[curve.best] : null;
  const room = Math.max(error ? 6 * error : 0, (high - low) / (error ? 12 : 3));
  if (!Number.isFinite(room) || room <= 0) return { low, high };
  return curve.higher ? { low: Math.max(low, best - room), high } : { low, high: Math.min(high, best + room) };
}

function smallChart(host, track, values, bars) {
  const box = frame(host, 190, { left: 58, right: 12, top: 10, bottom: 46 });
  const scale = alphaScale(box, track.alphas);
  const y = valueAxis(box, 0, Math.max(...values, 1e-12), 3);
  alphaAxis(box, scale, track, false);
  if (bars) {
    const width = Math.max((box.right - box.left) / values.length * 0.7, 1);
    values.forEach((v, k) => svgEl(box.svg, "rect", { class: "bars", x: scale.places[k] - width / 2, y: y(v), width, height: Math.max(y(0) - y(v), 0) }));
  } else {
    svgEl(box.svg, "path", { class: "line pos", d: "M" + values.map((v, k) => scale.places[k].toFixed(1) + " " + y(v).toFixed(1)).join("L") });
  }
  const cursor = svgEl(box.svg, "line", { class: "cursor", y1: box.top, y2: box.bottom });
  return { box, scale, cursor };
}
