// Curves of one collective: time and bandwidth over size, with the machine's floor.

const margins = { top: 12, right: 14, bottom: 34, left: 50 };

// The series of a collective as it is chosen: name, file, colour, and points with x, y and the 95 % interval of y. `measure` turns
// a time into what is drawn.
function seriesOf(collective, measure, abscissa) {
  const series = [];
  for (const file of data.files) {
    const points = file.points.filter((point) => point.collective === collective && isOfKind(point, scene.kind) &&
      (abscissa === "members" || point.members === scene.members));
    for (const name of all.names) {
      const own = points.filter((point) => nameOf(point) === name && point.median_us > 0);
      if (own.length > 0) {
        series.push(made(file, name, colourOf(name), dashOf(name, file), own.map((point) => {
          const ends = point.ci95_us.map((us) => measure(point, us)).sort((a, b) => a - b);
          return { x: point[abscissa], y: measure(point, point.median_us), low: ends[0], high: ends[1], point };
        })));
      }
    }
    const floors = points.filter((point) => isChoice(point) && point.floor_us > 0);
    if (floors.length > 0) {
      series.push(made(file, "floor", "var(--floor)", "3 3", floors.map((point) =>
        ({ x: point[abscissa], y: measure(point, point.floor_us), point }))));
    }
  }
  return series;

  function made(file, name, colour, dash, points) {
    const key = file.index === 0 ? name : `${name}, ${file.name}`;
    return { key, name, colour, dash, points: points.filter((each) => each.y > 0).sort((a, b) => a.x - b.x) };
  }
}

// Powers of ten, and 2 and 5 times these where there are few.
function logTicks([low, high], most) {
  const within = (factors) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      factors.forEach((factor) => ticks.push(factor * 10 ** power));
    }
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  };
  const tens = within([1]);
  return thinnedTicks(tens.length > 2 ? tens : within([1, 2, 5]), most);
}

function thinnedTicks(ticks, most) {
  const step = Math.max(1, Math.ceil(ticks.length / most));
  return ticks.filter((tick, index) => index % step === 0);
}

// An empty picture with axes. `spec`: title, x and y as { scale, ticks, text }; scales get their ranges here.
function frame(node, spec) {
  const width = Math.max(node.clientWidth, 260);
  const height = Math.round(Math.min(320, Math.max(210, width * 0.6)));
  const svg = d3.select(node).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", spec.title);
  const inside = { left: margins.left, right: width - margins.right, top: margins.top, bottom: height - margins.bottom };
  spec.x.scale.range([inside.left + 6, inside.right - 6]);
  spec.y.scale.range([inside.bottom, inside.top]);
  const grid = svg.append("g");
  for (const tick of spec.y.ticks) {
    const y = spec.y.scale(tick);
    grid.append("line").attr("class", "grid").attr("x1", inside.left).attr("x2", inside.right).attr("y1", y).attr("y2", y);
    grid.append("text").attr("x", inside.left - 7).attr("y", y + 4).attr("text-anchor", "end").text(spec.y.text(tick));
  }
  for (const tick of thinnedTicks(spec.x.ticks, Math.max(2, Math.floor(width / 62)))) {
    grid.append("text").attr("x", spec.x.scale(tick)).attr("y", inside.bottom + 18).attr("text-anchor", "middle").text(spec.x.text(tick));
  }
  grid.append("line").attr("class", "axis").attr("x1", inside.left).attr("x2", inside.right).attr("y1", inside.bottom).attr("y2", inside.bottom);
  return { svg, inside, width, height, x: spec.x.scale, y: spec.y.scale };
}

function drawSeries(picture, series) {
  const { svg, x, y } = picture;
  for (const each of series) {
    const banded = each.points.filter((point) => point.low > 0 && point.high > 0);
    if (banded.length > 1) {
      svg.append("path").attr("class", "band").style("fill", each.colour)
        .attr("d", d3.area().x((p) => x(p.x)).y0((p) => y(p.low)).y1((p) => y(p.high))(banded));
    }
  }
  for (const each of series) {
    svg.append("path").attr("class", "curve").attr("data-series", each.key).style("stroke", each.colour)
      .attr("stroke-dasharray", each.dash).attr("d", d3.line().x((p) => x(p.x)).y((p) => y(p.y))(each.points));
    if (each.name !== "floor") {
      svg.append("g").style("fill", each.colour).selectAll("circle").data(each.points).enter().append("circle")
        .attr("r", 2.6).attr("cx", (p) => x(p.x)).attr("cy", (p) => y(p.y));
    }
  }
}

// A point is chosen with the pointer or the arrow keys, and its runs are shown on a click or Enter.
function makeInteractive(picture, series, text, choose) {
  const { svg, inside, x, y, width } = picture;
  const points = series.filter((each) => each.name !== "floor").flatMap((each) => each.points.map((point) => ({ ...point, series: each })));
  if (points.length === 0) {
    return;
  }
  const mark = svg.append("g").style("display", "none");
  mark.append("line").attr("class", "cross").attr("y1", inside.top).attr("y2", inside.bottom);
  const ring = mark.append("circle").attr("r", 5).style("fill", "none").style("stroke-width", 2);
  const node = svg.node();
  let at = -1;
  const show = (index) => {
    at = index;
    const point = points[at];
    mark.style("display", null).attr("transform", `translate(${x(point.x)},0)`);
    ring.attr("cy", y(point.y)).style("stroke", point.series.colour);
    const box = node.getBoundingClientRect();
    showTip(text(point), box.left + (x(point.x) * box.width) / width, box.top + (y(point.y) * box.width) / width);
  };
  const hide = () => { mark.style("display", "none"); hideTip(); };
  const zone = svg.append("rect").attr("class", "zone").attr("x", inside.left).attr("y", 0).attr("width", inside.right - inside.left)
    .attr("height", inside.bottom);
  zone.on("mousemove", () => show(nearest(d3.mouse(node)))).on("mouseleave", hide).on("click", () => {
    show(nearest(d3.mouse(node)));
    choose(points[at].point);
  });
  svg.attr("tabindex", 0).on("keydown", () => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[d3.event.key];
    if (step) {
      show((at + step + points.length) % points.length);
      d3.event.preventDefault();
    } else if (d3.event.key === "Enter" && at >= 0) {
      choose(points[at].point);
    }
  }).on("blur", hide);

  function nearest([mouseX, mouseY]) {
    let best = 0;
    let least = Infinity;
    points.forEach((point, index) => {
      const distance = (x(point.x) - mouseX) ** 2 + (y(point.y) - mouseY) ** 2;
      if (distance < least) {
        least = distance;
        best = index;
      }
    });
    return best;
  }
}

function tipText(point) {
  const own = point.point;
  const lines = [point.series.key, problemText(own), `median ${usText(own.median_us)} (95 %: ${usText(own.ci95_us[0])} to ${usText(own.ci95_us[1])})`];
  if (own.bytes > 0) {
    lines.push(bandwidthText(gigabytesPerSecond(own.bytes, own.median_us)));
  }
  if (own.floor_us > 0) {
    lines.push(`${timesText(own.median_us / own.floor_us)} the floor`);
  }
  if (own.chosen) {
    lines.push(`chosen: ${own.chosen}`);
  }
  return lines;
}

// Time in microseconds or bandwidth in GB/s. A barrier has no size: it is drawn over the members.
function drawCurves(node, collective, quantity, choose) {
  const abscissa = all.sizes[collective] ? "bytes" : "members";
  const measure = quantity === "time" ? (point, us) => us : (point, us) => gigabytesPerSecond(point.bytes, us);
  const series = seriesOf(collective, measure, abscissa).filter((each) => !scene.hidden.has(each.name));
  const points = series.flatMap((each) => each.points);
  const text = quantity === "time" ? usText : bandwidthText;
  node.append(make("figcaption", {}, quantity === "time" ? `median time over ${abscissa === "bytes" ? "size" : "members"}`
    : "bandwidth over size: bytes of the longest vector over time"));
  if (points.length === 0) {
    node.append(make("p", { class: "soft" }, "not measured with this choice"));
    return;
  }
  const [low, high] = d3.extent(points.flatMap((point) => [point.y, point.low || point.y, point.high || point.y]));
  const yDomain = [low / 1.15, high * 1.15];
  const xs = unique(points.map((point) => point.x)).sort((a, b) => a - b);
  const xDomain = xs.length > 1 ? [xs[0], xs[xs.length - 1]] : [xs[0] / 2, xs[0] * 2];
  const picture = frame(node, {
    title: `${collective}: ${quantity}`,
    x: { scale: d3.scaleLog().base(2).domain(xDomain), ticks: xs, text: abscissa === "bytes" ? bytesText : String },
    y: { scale: d3.scaleLog().domain(yDomain), ticks: logTicks(yDomain, 7), text },
  });
  drawSeries(picture, series);
  makeInteractive(picture, series, tipText, choose);
}

function drawLegend(node, collective) {
  const entries = seriesOf(collective, (point, us) => us, all.sizes[collective] ? "bytes" : "members");
  for (const entry of entries) {
    const line = d3.create("svg").attr("viewBox", "0 0 22 10");
    line.append("path").attr("d", "M1 5H21").attr("class", "curve").style("stroke", entry.colour).attr("stroke-dasharray", entry.dash);
    node.append(make("button", {
      type: "button", "aria-pressed": String(!scene.hidden.has(entry.name)), title: "show or hide",
      click: () => {
        scene.hidden.has(entry.name) ? scene.hidden.delete(entry.name) : scene.hidden.add(entry.name);
        change({});
      },
    }, line.node(), entry.key));
  }
}

all.sizes = Object.fromEntries(all.collectives.map((collective) =>
  [collective, allPoints.some((point) => point.collective === collective && point.bytes > 0)]));

function curvesCard(collective) {
  const legend = make("div", { class: "legend" });
  const figures = (all.sizes[collective] ? ["time", "bandwidth"] : ["time"]).map((quantity) => ({ quantity, node: make("figure") }));
  const runs = make("div");
  let shown = null;
  const choose = (point) => { shown = point; drawRuns(runs, shown); };
  scene.redraw.push(() => {
    legend.replaceChildren();
    drawLegend(legend, collective);
    for (const figure of figures) {
      figure.node.replaceChildren();
      drawCurves(figure.node, collective, figure.quantity, choose);
    }
    if (shown !== null && (shown.members !== scene.members || !isOfKind(shown, scene.kind))) {
      shown = null;
    }
    drawRuns(runs, shown);
  });
  return make("section", { class: "card", "data-collective": collective }, make("h3", {}, collective), legend,
    make("div", { class: "pair" }, ...figures.map((figure) => figure.node)), runs);
}
