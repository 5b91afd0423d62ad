// One timeline: a row a member, drawn on a canvas, since there may be hundreds of thousands of spans.

// Steps that move bytes have colours of their own; steps that only publish or see are grey.
const stepColours = { combine: "--s0", copy: "--s2", scan: "--s3", send: "--s6", receive: "--s5" };

function colourOfStep(name) {
  return stepColours[name] || "--floor";
}

// Below the row of a member are those of what it has in flight.
for (const timeline of data.timelines) {
  const read = ([kind, name, begin, end, peer, bytes, number]) =>
    ({ kind: timeline.kinds[kind], name: timeline.names[name], begin, end, peer, bytes, number });
  timeline.rows = [];
  for (const lane of timeline.lanes) {
    lane.row = timeline.rows.length;
    lane.of = { operation: [], step: [], wait: [] };
    lane.spans.map(read).forEach((span) => lane.of[span.kind].push(span));
    lane.flights = lane.flights.map((row) => row.map(read));
    timeline.rows.push({ lane, flights: null }, ...lane.flights.map((flights) => ({ lane, flights })));
  }
  timeline.rowOf = new Map(timeline.lanes.map((lane) => [lane.rank, lane.row]));
}

// Not in an operation, except for one that is in flight.
const isForRequest = (wait) => wait.name === "request wait";

const nsText = (ns) => usText(ns / 1e3);

// The first of some successive spans that ends at or after a time.
function firstAfter(spans, time) {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    spans[middle].end < time ? (low = middle + 1) : (high = middle);
  }
  return low;
}

const picture = { left: 34, right: 8, axis: 22, least: 3, most: 22, height: 560 };

function rowHeight(timeline) {
  return Math.max(picture.least, Math.min(picture.most, Math.floor(picture.height / timeline.rows.length)));
}

// Spans that are narrower than a pixel are drawn once a pixel.
function drawSpans(context, spans, x, top, height, colourOf) {
  const [from, to] = x.domain();
  let drawn = -Infinity;
  for (let at = firstAfter(spans, from); at < spans.length && spans[at].begin <= to; ++at) {
    const left = Math.max(x(spans[at].begin), picture.left);
    const right = Math.min(x(spans[at].end), x.range()[1]);
    if (right <= drawn + 0.5 && right - left < 1) {
      continue;
    }
    const width = right - left;
    context.fillStyle = colourOf(spans[at]);
    context.fillRect(left, top, width > 4 ? width - 1 : Math.max(width, 0.6), height);
    drawn = left + Math.max(width, 0.6);
  }
}

function drawLane(context, lane, x, height, colour) {
  const top = picture.axis + lane.row * height;
  const gap = height > 8 ? 2 : height > 4 ? 1 : 0;
  drawSpans(context, lane.of.operation, x, top + gap, height - 2 * gap, () => colour("--grid"));
  drawSpans(context, lane.of.step, x, top + gap, height - 2 * gap, (span) => colour(colourOfStep(span.name)));
  drawSpans(context, lane.of.wait, x, top + gap, height - 2 * gap, () => colour("--s1"));
  lane.flights.forEach((flights, row) => {
    drawSpans(context, flights, x, top + (row + 1) * height + gap, height - 2 * gap, () => colour("--s4"));
  });
}

// The critical path of the last member to leave: along the rows of the members that acted, and from row to
// row where they were awaited.
function drawPath(context, timeline, x, height, colour) {
  const [from, to] = x.domain();
  const middle = (rank) => picture.axis + (timeline.rowOf.get(rank) + 0.5) * height;
  const stroke = (width, style) => {
    context.strokeStyle = style;
    context.lineWidth = width;
    for (const path of timeline.paths) {
      context.beginPath();
      let previous = null;
      for (const [rank, begin, end] of path) {
        if (end >= from && begin <= to) {
          previous === null ? context.moveTo(x(begin), middle(rank)) : context.lineTo(x(begin), middle(rank));
          context.lineTo(x(end), middle(rank));
          previous = rank;
        }
      }
      context.stroke();
    }
  };
  context.lineJoin = "round";
  stroke(4, colour("--card"));
  stroke(2, colour("--ink"));
}

function drawAxis(context, timeline, x, height, colour) {
  const bottom = picture.axis + timeline.rows.length * height;
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = "center";
  const [first, last] = x.range();
  const ticks = x.ticks(Math.max(2, Math.floor((last - first) / 110)));
  for (const tick of ticks) {
    context.fillStyle = colour("--grid");
    context.fillRect(x(tick), picture.axis - 4, 1, bottom - picture.axis + 4);
    context.fillStyle = colour("--soft");
    context.textAlign = x(tick) < first + 20 ? "left" : x(tick) > last - 24 ? "right" : "center";
    context.fillText(timeText(tick, ticks), x(tick), picture.axis - 9);
  }
  context.textAlign = "right";
  const every = Math.ceil(12 / height);
  let labelled = -every;
  for (const lane of timeline.lanes) {
    if (lane.row >= labelled + every) {
      labelled = lane.row;
      context.fillText(String(lane.rank), picture.left - 7, picture.axis + (lane.row + 0.5) * height + (every === 1 ? 4 : 6));
    }
  }
}

// Ticks need as many digits as tell them apart.
function timeText(ns, ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  const largest = Math.abs(ticks[ticks.length - 1]);
  const [unit, name] = largest < 1e3 ? [1, "ns"] : largest < 1e6 ? [1e3, "µs"] : largest < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  const after = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  return `${(ns / unit).toFixed(after)} ${name}`;
}

function drawTimeline(canvas, timeline, x, hasPath) {
  const scale = window.devicePixelRatio || 1;
  const height = rowHeight(timeline);
  const [width, whole] = [canvas.clientWidth, picture.axis + timeline.rows.length * height + 4];
  canvas.style.height = `${whole}px`;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(whole * scale);
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const known = new Map();
  const colour = (name) => known.get(name) || known.set(name, style.getPropertyValue(name).trim()).get(name);
  context.scale(scale, scale);
  drawAxis(context, timeline, x, height, colour);
  context.save();
  context.beginPath();
  context.rect(picture.left, 0, width - picture.left - picture.right + 1, whole);
  context.clip();
  timeline.lanes.forEach((lane) => drawLane(context, lane, x, height, colour));
  if (hasPath) {
    drawPath(context, timeline, x, height, colour);
  }
  context.restore();
}

// The spans at a place: the wait, the step it is in, and the operation; or an outstanding one.
function spansAt(timeline, x, [left, top]) {
  const row = timeline.rows[Math.floor((top - picture.axis) / rowHeight(timeline))];
  const time = x.invert(left);
  if (row === undefined || left < picture.left || top < picture.axis) {
    return null;
  }
  const { lane, flights } = row;
  const at = (spans) => {
    const span = spans[firstAfter(spans, time)];
    return span !== undefined && span.begin <= time ? span : null;
  };
  const [wait, step, operation] = flights === null ? ["wait", "step", "operation"].map((kind) => at(lane.of[kind])) : [null, null, at(flights)];
  return wait === null && step === null && operation === null ? null : { lane, wait, step, operation };
}

function spanText({ lane, wait, step, operation }) {
  const inner = wait || step || operation;
  const lines = [`member ${lane.rank}: ${wait ? `waits for member ${wait.peer}` : inner.name}`,
    `${nsText(inner.end - inner.begin)}, from ${nsText(inner.begin)} on`];
  if (wait && step) {
    lines.push(`in the step ${step.name}, ${nsText(step.end - step.begin)}`);
  }
  if (!wait && step && (step.bytes > 0 || step.peer >= 0)) {
    lines.push([step.bytes > 0 ? bytesText(step.bytes) : "", step.peer >= 0 ? `member ${step.peer}` : ""].filter((word) => word).join(", "));
  }
  if (operation) {
    lines.push(`${operation.name}${operation.bytes > 0 ? `, ${bytesText(operation.bytes)}` : ""}, ${operation.kind} ${operation.number}`);
  } else if (wait) {
    lines.push(`request ${wait.number}`);
  }
  return lines;
}
