// The page: timelines below each other, which are moved together.

const ends = data.timelines.flatMap((timeline) => timeline.lanes.flatMap((lane) => lane.of.operation.concat(lane.of.step, lane.of.wait, ...lane.flights)));
const scene = {
  // Loops, since there may be more spans than a call takes arguments.
  from: ends.reduce((least, span) => Math.min(least, span.begin), Infinity),
  to: ends.reduce((most, span) => Math.max(most, span.end), -Infinity),
  hasPath: true,
};
// Only operations that block have one.
const hasPaths = data.timelines.some((timeline) => timeline.paths.length > 0);
const canvases = [];

function share(part, whole) {
  return whole === 0 ? "-" : `${(100 * part / whole).toFixed(0)} %`;
}

function memberRow(lane) {
  const sum = (spans) => spans.reduce((ns, span) => ns + span.end - span.begin, 0);
  const [time, waiting] = [sum(lane.of.operation) + sum(lane.of.wait.filter(isForRequest)), sum(lane.of.wait)];
  const waited = new Map();
  lane.of.wait.forEach((wait) => waited.set(wait.peer, (waited.get(wait.peer) || 0) + wait.end - wait.begin));
  const [peer, ns] = [...waited].reduce((most, each) => (each[1] > most[1] ? each : most), [-1, 0]);
  const bar = make("div", { class: "bar waiting" });
  bar.style.width = `${time > 0 ? 100 * waiting / time : 0}%`;
  return [number(String(lane.rank)), number(nsText(time)), number(nsText(time - waiting)), number(nsText(waiting)),
    number(share(waiting, time)), make("td", { class: "share" }, bar), peer < 0 ? "" : `member ${peer}, ${nsText(ns)}`];
}

function memberTable(timeline) {
  const headings = ["member", "time", "not waiting", "waiting", "share"].map((text) => make("th", { class: "number" }, text));
  const whole = make("div", { class: "scroll" },
    table("list", [...headings, "", "waits longest for"], timeline.lanes.map(memberRow)));
  const most = 32;
  return timeline.lanes.length <= most ? whole : make("details", {}, make("summary", {}, `${timeline.lanes.length} members in numbers`), whole);
}

function legend() {
  const names = unique(data.timelines.flatMap((timeline) => timeline.lanes.flatMap((lane) => lane.of.step.map((span) => span.name))));
  const others = names.filter((name) => colourOfStep(name) === "--floor");
  const entry = (colour, text) => {
    const mark = make("i");
    mark.style.background = `var(${colour})`;
    return make("span", {}, mark, text);
  };
  return make("div", { class: "kinds" }, ...names.filter((name) => !others.includes(name)).map((name) => entry(colourOfStep(name), name)),
    ...(others.length > 0 ? [entry("--floor", others.join(", "))] : []), entry("--s1", "wait"),
    ...(data.timelines.some((timeline) => timeline.rows.length > timeline.lanes.length) ? [entry("--s4", "in flight")] : []),
    ...(hasPaths ? [entry("--ink", "critical path")] : []));
}

function scaleOf(canvas) {
  return d3.scaleLinear().domain([scene.from, scene.to]).range([picture.left, Math.max(canvas.clientWidth - picture.right, picture.left + 1)]);
}

function redraw() {
  hideTip();
  for (const { canvas, timeline } of canvases) {
    drawTimeline(canvas, timeline, d3.zoomTransform(canvas).rescaleX(scaleOf(canvas)), scene.hasPath);
  }
}

// A nanosecond is at most so many pixels wide.
const widestNs = 40;

function zooming() {
  const zoom = d3.zoom().on("zoom", () => {
    for (const { canvas } of canvases) {
      canvas.__zoom = d3.event.transform; // where d3.zoom keeps it: all show the same time
    }
    redraw();
  });
  const fit = () => {
    const width = canvases[0].canvas.clientWidth;
    const extent = [[picture.left, 0], [Math.max(width - picture.right, picture.left + 1), 1]];
    zoom.extent(extent).translateExtent([[extent[0][0], -Infinity], [extent[1][0], Infinity]])
      .scaleExtent([1, Math.max(2, widestNs * (scene.to - scene.from) / width)]);
  };
  fit();
  return { zoom, fit };
}

function watchPointer(canvas, timeline) {
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const found = spansAt(timeline, d3.zoomTransform(canvas).rescaleX(scaleOf(canvas)), [event.clientX - box.left, event.clientY - box.top]);
    found === null ? hideTip() : showTip(spanText(found), event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", hideTip);
}

function drawControls(node, zoom) {
  const first = d3.select(canvases[0].canvas);
  const button = (text, click) => make("button", { type: "button", click }, text);
  const path = button("critical path", () => {
    scene.hasPath = !scene.hasPath;
    path.setAttribute("aria-pressed", String(scene.hasPath));
    redraw();
  });
  path.setAttribute("aria-pressed", "true");
  node.append(make("div", { class: "choice" }, button("+", () => zoom.scaleBy(first, 2)), button("−", () => zoom.scaleBy(first, 0.5)),
    button("◀", () => zoom.translateBy(first, first.node().clientWidth / 4 / d3.zoomTransform(first.node()).k, 0)),
    button("▶", () => zoom.translateBy(first, -first.node().clientWidth / 4 / d3.zoomTransform(first.node()).k, 0)),
    button("whole", () => zoom.transform(first, d3.zoomIdentity)), hasPaths ? path : null), legend());
}

function draw() {
  document.title = `Tutti: ${data.timelines.map((timeline) => timeline.name).join(", ")}`;
  const top = document.getElementById("top");
  const names = unique(data.timelines.flatMap((timeline) => timeline.lanes.flatMap((lane) => lane.of.operation.concat(...lane.flights).map((span) => span.name))));
  top.append(make("h1", {}, names.length === 1 ? names[0] : "Timelines"));
  append(top, missingCharts());
  append(top, findingsList());
  const main = document.getElementById("main");
  main.replaceChildren();
  for (const timeline of data.timelines) {
    const canvas = make("canvas", { role: "img", "aria-label": `What each member does when: ${timeline.name}` });
    main.append(make("section", { class: "card" }, make("h3", {}, timeline.name), hasCharts ? canvas : null, memberTable(timeline)));
    canvases.push({ canvas, timeline });
  }
  const nav = document.getElementById("scene");
  nav.hidden = !hasCharts;
  if (hasCharts) {
    const { zoom, fit } = zooming();
    canvases.forEach(({ canvas, timeline }) => {
      d3.select(canvas).call(zoom);
      watchPointer(canvas, timeline);
    });
    drawControls(nav, zoom);
    redraw();
    onResize(() => { fit(); redraw(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  }
  document.getElementById("end").append(make("p", {}, `Written by tutti ${data.version}. Turn the wheel over a picture to see less or more ` +
    "time, and drag to move. The critical path of an operation that blocks is what the last member to leave went by: what it did since its last wait, before that what " +
    "the member did for whom it waited, and so on."));
}

draw();
