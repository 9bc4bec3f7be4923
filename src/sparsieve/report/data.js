"use strict";
// Reading the data: typed arrays out of base64, one row of (alpha, effect) pairs per feature. The
// effect is the coefficient times the standard deviation of its column when that is known: only then
// do features compare. Without it effect and coefficient are the same.

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// Written little-endian; read through a DataView so that the machine's own order plays no part.
function numbersOf(text, size, read) {
  const bytes = bytesOf(text);
  const view = new DataView(bytes.buffer);
  const out = new Float64Array(bytes.length / size);
  for (let i = 0; i < out.length; i++) out[i] = view[read](i * size, true);
  return out;
}

function readTrack(track, data) {
  const index = numbersOf(track.index, data.indexBytes, data.indexBytes === 2 ? "getUint16" : "getUint32");
  const value = numbersOf(track.value, data.valueBytes, data.valueBytes === 8 ? "getFloat64" : "getFloat32");
  const rows = new Map();
  for (let k = 0; k < track.alphas.length; k++) {
    for (let i = track.starts[k]; i < track.starts[k + 1]; i++) {
      let row = rows.get(index[i]);
      if (!row) rows.set(index[i], row = { f: index[i], k: [], v: [], largest: 0 });
      row.k.push(k);
      const effect = effectOf(data, index[i], value[i]);
      row.v.push(effect);
      row.largest = Math.max(row.largest, Math.abs(effect));
    }
  }
  const curve = track.curve === null ? null : data.curves[track.curve];
  return { ...track, curve, idx: index, val: value, rows, label: labelOf(track) };
}

function labelOf(track) {
  return track.shape ? track.penalty + " (" + track.shape + ")" : track.penalty;
}

function nameOf(data, f) {
  return data.names ? data.names[f] : "x" + data.features[f];
}

function effectOf(data, f, value) { return data.scale ? value * data.scale[f] : value; }

// The non-zero coefficients w and effects v at one alpha, largest effect first.
function pointAt(data, track, k) {
  const point = [];
  for (let i = track.starts[k]; i < track.starts[k + 1]; i++) {
    point.push({ f: track.idx[i], w: track.val[i], v: effectOf(data, track.idx[i], track.val[i]) });
  }
  return point.sort((a, b) => Math.abs(b.v) - Math.abs(a.v));
}

function fmt(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "not known";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, power] = x.toExponential(Math.max(digits - 1, 0)).split("e");
    return minus(mantissa.replace(/\.?0+$/, "")) + "e" + minus(power.replace("+", ""));
  }
  return minus(String(Number(x.toPrecision(digits))));
}

function minus(text) { return text.replace("-", "\u2212"); }

function count(x) { return x === null || x === undefined ? "not known" : x.toLocaleString("en-US"); }

function plural(n, word) { return count(n) + " " + word + (n === 1 ? "" : "s"); }

function percent(part, whole) {
  if (!whole) return "0 %";
  const p = 100 * part / whole;
  return (p > 0 && p < 0.1 ? "under 0.1" : p > 99.9 && p < 100 ? "over 99.9" : p.toFixed(1).replace(/\.0$/, "")) + " %";
}
