// Losses other than squares: how well labels or counts are fitted, in a panel of its own, and the words that differ.

function assessmentPanel() {
  const known = byId("classes-panel");
  if (known) return known;
  const panel = el(null, "section", null, { class: "panel", id: "classes-panel", "aria-labelledby": "classes-h" });
  el(panel, "h2", "", { id: "classes-h" });
  el(panel, "p", "", { class: "hint", id: "classes-hint" });
  const pair = el(panel, "div", null, { class: "pair" });
  for (const id of ["classes-left", "classes-right"]) {
    const figure = el(pair, "figure");
    el(figure, "figcaption", "", { id: id + "-words" });
    el(figure, "div", null, { class: "chart", id, role: "img" });
  }
  byId("features").before(panel);
  return panel;
}

function showClasses(track) {
  if (track.positive && tracks.length > 1) {   // what is chosen among are classes
    document.querySelector('label[for="penalty"]').textContent = "Class";
    byId("compare-h").textContent = "Classes side by side";
  }
  const found = track.assessment;
  if (!found && !byId("classes-panel")) return;
  const panel = assessmentPanel();
  panel.hidden = !found;
  if (!found) return;
  const alpha = "\u03b1 = " + fmt(track.alphas[found.at], 5);
  const rows = found.source === "left out"
    ? `${plural(found.nRows, "row")}, each predicted by the fold that did not see it, at ${alpha}.`
    : `${plural(found.nRows, "row")} of the fit itself, at ${alpha}: in sample, so new rows will be predicted worse.`;
  if (found.kind === "classes") drawClasses(track, found, rows);
  else drawCounts(found, rows);
}

function figureWords(id, caption, label) {
  byId(id + "-words").textContent = caption;
  byId(id).setAttribute("aria-label", label);
}

function drawClasses(track, found, rows) {
  const what = track.positive ? ` for ${track.positive}` : "";
  byId("classes-h").textContent = "Probabilities" + what;
  byId("classes-hint").textContent = rows + ` ${percent(found.accuracy, 1)} are put into the right class; log-loss (half the mean deviance) ${fmt(found.deviance / 2, 4)}.` +
    (what.includes("against the rest") ? " There is one such model for each class; probabilities are divided by their sum afterwards." : "");
  figureWords("classes-left", "Calibration: rows in groups of similar probability; on the dashed line predictions come true; 95 % intervals",
    `Calibration: ${found.mean.map((m, i) => `predicted ${percent(m, 1)}, true ${percent(found.share[i], 1)}`).join("; ")}.`);
  figureWords("classes-right", `ROC: area below the curve ${fmt(found.auc, 4)} (0.5 is chance, 1 perfect order)`,
    `ROC curve, area below it ${fmt(found.auc, 4)}.`);
  calibrationChart(byId("classes-left"), found, 1, "predicted probability", "share that is true");
  const box = unitBox(byId("classes-right"), 1, "false alarms, share of the other class", "found, share");
  svgEl(box.svg, "path", { class: "line pos", d: "M" + found.fpr.map((x, i) => box.x(x).toFixed(1) + " " + box.y(found.tpr[i]).toFixed(1)).join("L") });
}

function drawCounts(found, rows) {
  byId("classes-h").textContent = "Counts";
  const spread = found.dispersion;
  byId("classes-hint").textContent = rows + ` The dispersion is ${fmt(spread, 3)}; 1 is what the loss expects` +
    (spread > 1.5 ? ", so the counts vary more: a negative binomial loss " + (found.theta ? `(theta about ${fmt(found.theta, 2)})` : "with a smaller theta") + " allows for that." : ".");
  figureWords("classes-left", "Mean counts of rows with similar predictions; on the dashed line they are equal; 95 % intervals",
    `Mean counts: ${found.mean.map((m, i) => `predicted ${fmt(m, 3)}, observed ${fmt(found.share[i], 3)}`).join("; ")}.`);
  const drawn = found.fitted.length < found.nRows ? `; ${count(found.fitted.length)} of the rows are drawn` : "";
  figureWords("classes-right", "Deviance residuals against predicted means, log scale" + drawn,
    `Deviance residuals of ${plural(found.fitted.length, "row")}, from ${fmt(Math.min(...found.residual), 3)} to ${fmt(Math.max(...found.residual), 3)}.`);
  calibrationChart(byId("classes-left"), found, 1.05 * Math.max(...found.mean, ...found.high), "predicted mean", "mean count");
  residualChart(byId("classes-right"), found);
}

// A square-ish chart of two quantities of the same unit, from 0 to `most`, with the line on which they are equal.
function unitBox(host, most, across, up) {
  const box = frame(host, 300, { left: 58, right: 14, top: 26, bottom: 46 });
  const x = (v) => box.left + v / most * (box.right - box.left), y = (v) => box.bottom - v / most * (box.bottom - box.top);
  for (const t of niceTicks(0, most, 4).ticks) {
    svgEl(box.svg, "line", { class: t === 0 ? "zero" : "grid", x1: box.left, x2: box.right, y1: y(t), y2: y(t) });
    svgEl(box.svg, "text", { x: box.left - 8, y: y(t) + 4.5, "text-anchor": "end" }, fmt(t, 3));
    svgEl(box.svg, "line", { class: "grid", x1: x(t), x2: x(t), y1: box.bottom, y2: box.bottom + 5 });
    svgEl(box.svg, "text", { x: x(t), y: box.bottom + 19, "text-anchor": "middle" }, fmt(t, 3));
  }
  svgEl(box.svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, across);
  svgEl(box.svg, "text", { x: 4, y: box.top - 11, "text-anchor": "start" }, up);
  svgEl(box.svg, "line", { class: "mark", x1: x(0), y1: y(0), x2: x(most), y2: y(most) });
  return { ...box, x, y };
}

function calibrationChart(host, found, most, across, up) {
  const box = unitBox(host, most, across, up), inside = (v) => box.y(Math.min(Math.max(v, 0), most));
  found.mean.forEach((m, i) => {
    svgEl(box.svg, "line", { class: "cursor", x1: box.x(m), x2: box.x(m), y1: inside(found.low[i]), y2: inside(found.high[i]) });
    const dot = svgEl(box.svg, "circle", { class: "dot pos", cx: box.x(m), cy: inside(found.share[i]), r: 5 });
    svgEl(dot, "title", {}, `${plural(found.rows[i], "row")}: predicted ${fmt(m, 3)}, observed ${fmt(found.share[i], 3)}`);
  });
}

function residualChart(host, found) {
  const box = frame(host, 300, { left: 58, right: 14, top: 26, bottom: 46 });
  const positive = found.fitted.filter((m) => m > 0), low = Math.min(...positive), high = Math.max(...positive);
  const span = Math.log(high / low), x = (m) => span > 0 ? box.left + 6 + Math.log(Math.max(m, low) / low) / span * (box.right - box.left - 12) : (box.left + box.right) / 2;
  const y = valueAxis(box, Math.min(0, ...found.residual), Math.max(0, ...found.residual), 5);
  let last = -Infinity;
  const ticks = logTicks(low, high);
  for (const t of ticks.length ? ticks : [low]) {
    if (x(t) - last < 46) continue;
    last = x(t);
    svgEl(box.svg, "line", { class: "grid", x1: x(t), x2: x(t), y1: box.bottom, y2: box.bottom + 5 });
    svgEl(box.svg, "text", { x: x(t), y: box.bottom + 19, "text-anchor": "middle" }, fmt(t, 3));
  }
  svgEl(box.svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, "predicted mean, log scale");
  svgEl(box.svg, "text", { x: 4, y: box.top - 11, "text-anchor": "start" }, "deviance residual");
  found.fitted.forEach((m, i) => svgEl(box.svg, "circle", { class: "dot pos", cx: x(m).toFixed(1), cy: y(found.residual[i]).toFixed(1), r: found.fitted.length > 150 ? 2.5 : 3.5 }));
}

// What is known of rows that were left out, at the alpha it is known for.
function classTiles(track, k) {
  const found = track.assessment;
  if (!found || found.at !== k) return [];
  const where = found.source === "left out" ? " (left-out rows)" : " (in sample)", tiles = [];
  if (found.source === "left out" && found.d2 !== null) tiles.push([percent(Math.max(found.d2, 0), 1), "deviance explained" + where]);
  if (found.kind === "classes") tiles.push([percent(found.accuracy, 1), "right class" + where]);
  return tiles;
}

function lossWords(track) {
  return track.loss ? [`The loss is ${track.loss}: what is called the residual of a row here is ${track.residual}.`] : [];
}
