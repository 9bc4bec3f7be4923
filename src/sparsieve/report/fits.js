// Predicted against observed, and residuals against predictions, of the rows that came with the model.

function showFit(fit, measure) {
  byId("fit-panel").hidden = !fit;
  if (!fit) return;
  const drawn = fit.rows.length, all = fit.nRows;
  byId("fit-hint").textContent = `The model at its own \u03b1 on ${plural(all, "row")}: R\u00b2 ${fmt(fit.r2, 3)}, root mean squared error ${fmt(fit.rmse, 4)}. ` +
    "If these are the rows of the fit, errors on new rows are larger" + (measure ? ": " + measure + "." : ".") +
    (drawn < all ? ` ${count(drawn)} of the rows are drawn, evenly spaced.` : "");
  const residual = fit.observed.map((y, i) => y - fit.predicted[i]);
  scatter(byId("fit-chart"), fit, fit.observed, "observed", true);
  scatter(byId("residual-chart"), fit, residual, "residual", false);
  byId("fit-chart").setAttribute("aria-label", `Observed against predicted values of ${plural(all, "row")}; R squared ${fmt(fit.r2, 3)}.`);
  byId("residual-chart").setAttribute("aria-label", `Residuals against predicted values of ${plural(all, "row")}; root mean squared error ${fmt(fit.rmse, 4)}.`);
}

function scatter(host, fit, values, what, diagonal) {
  const box = frame(host, 320, { left: 66, right: 14, top: 24, bottom: 46 });
  const x = fit.predicted, both = diagonal ? x.concat(values) : x;
  const y = valueAxis(box, ...rangeOf(diagonal ? both : values.concat([0])), 5);
  const across = crossAxis(box, ...rangeOf(both), "predicted");
  if (diagonal) {
    const [low, high] = rangeOf(both);
    svgEl(box.svg, "line", { class: "mark", x1: across(low), y1: y(low), x2: across(high), y2: y(high) });
  }
  x.forEach((v, i) => svgEl(box.svg, "circle", { class: "spot", cx: across(v).toFixed(1), cy: y(values[i]).toFixed(1), r: x.length > 500 ? 2.2 : 3.2 }));
  const spot = svgEl(box.svg, "circle", { class: "spot hot", r: 5, visibility: "hidden" });
  host.onpointermove = (event) => {
    const area = host.getBoundingClientRect(), zoom = box.width / area.width;
    const at = { x: (event.clientX - area.left) * zoom, y: (event.clientY - area.top) * zoom };
    let best = -1, distance = 20 ** 2;
    x.forEach((v, i) => {
      const d = (across(v) - at.x) ** 2 + (y(values[i]) - at.y) ** 2;
      if (d < distance) { distance = d; best = i; }
    });
    if (best < 0) { host.onpointerleave(); return; }
    spot.setAttribute("cx", across(x[best]));
    spot.setAttribute("cy", y(values[best]));
    spot.setAttribute("visibility", "visible");
    tipAt(event, `row ${count(fit.rows[best] + 1)}`, `observed ${fmt(fit.observed[best], 5)}, predicted ${fmt(x[best], 5)}, residual ${fmt(fit.observed[best] - x[best], 4)}`);
  };
  host.onpointerleave = () => { byId("tip").hidden = true; spot.setAttribute("visibility", "hidden"); };
  svgEl(box.svg, "text", { x: box.left - 8, y: box.top - 10, "text-anchor": "middle" }, what);
}

function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
  return [low, high];
}

function crossAxis(box, low, high, title) {
  const pad = (high - low || Math.abs(high) || 1) * 0.06;
  low -= pad; high += pad;
  const at = (v) => box.left + (v - low) / (high - low) * (box.right - box.left);
  const { ticks, step } = niceTicks(low, high, box.width < 420 ? 3 : 5);
  for (const t of ticks) {
    svgEl(box.svg, "line", { class: "grid", x1: at(t), x2: at(t), y1: box.bottom, y2: box.bottom + 5 });
    svgEl(box.svg, "text", { x: at(t), y: box.bottom + 19, "text-anchor": "middle" }, fmt(Math.abs(t) < step * 1e-6 ? 0 : t, 4));
  }
  svgEl(box.svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, title);
  return at;
}
