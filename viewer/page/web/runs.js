// The runs of one point: how they are distributed, and in the order of time, in which drifts and outliers show.

function drawRuns(node, point) {
  node.replaceChildren();
  if (point === null) {
    return;
  }
  const beside = allPoints.filter((other) => sameProblem(other, point) && !scene.hidden.has(nameOf(other)));
  const [distribution, order] = [make("figure"), make("figure")];
  node.className = "runs";
  node.append(
    make("header", {}, make("h3", {}, `Runs of ${nameOf(point)}: ${problemText(point)}`),
      make("button", { type: "button", click: () => { node.className = ""; node.replaceChildren(); } }, "close")),
    make("p", { class: "small soft" }, ...prose(runsText(point))),
    make("div", { class: "pair" }, distribution, order));
  drawDistribution(distribution, point, beside);
  drawOrder(order, point);
}

function runsText(point) {
  const drift = point.file.drifts[point.at];
  const kept = point.samples_us.length < point.repetitions ? `, of which ${point.samples_us.length}, evenly spaced, are here` : "";
  return `${point.repetitions} runs${kept}. Median ${usText(point.median_us)}, 95 % interval ${usText(point.ci95_us[0])} to ` +
    `${usText(point.ci95_us[1])}, 99th percentile ${usText(point.p99_us)}, longest ${usText(point.max_us)}. ` +
    `Medians of eighths of the runs differ ${timesText(drift)} at most.`;
}

// The share of runs that took at most so long, with those of others for the same problem.
function drawDistribution(node, point, beside) {
  node.append(make("figcaption", {}, "share of the runs that took at most so long"));
  const sorted = (each) => each.samples_us.slice().sort((a, b) => a - b);
  const series = [...beside.filter((each) => each !== point), point].map((each) => ({
    name: nameOf(each), file: each.file, isChosen: each === point, samples: sorted(each),
  }));
  const domain = d3.extent(series.flatMap((each) => each.samples).filter((us) => us > 0));
  if (domain[0] === undefined) {
    return;
  }
  const x = [domain[0] / 1.05, domain[1] * 1.05];
  const picture = frame(node, {
    title: `distribution of ${problemText(point)}`,
    x: { scale: d3.scaleLog().domain(x).clamp(true), ticks: logTicks(x, 6), text: usText },
    y: { scale: d3.scaleLinear().domain([0, 1]), ticks: [0, 0.25, 0.5, 0.75, 1], text: (share) => `${100 * share} %` },
  });
  for (const each of series) {
    picture.svg.append("path").attr("class", "curve").style("stroke", colourOf(each.name))
      .style("stroke-width", each.isChosen ? 2.5 : 1.2).style("opacity", each.isChosen ? 1 : 0.55)
      .attr("stroke-dasharray", dashOf(each.name, each.file))
      .attr("d", d3.line().curve(d3.curveStepAfter).x((us) => picture.x(us)).y((us, index) =>
        picture.y((index + 1) / each.samples.length))(each.samples));
  }
}

function drawOrder(node, point) {
  node.append(make("figcaption", {}, "the same runs in the order of time; line and band: median, 95 % interval"));
  const samples = point.samples_us;
  const [low, high] = d3.extent(samples.filter((us) => us > 0));
  if (low === undefined) {
    return;
  }
  const domain = [low / 1.05, high * 1.05];
  const picture = frame(node, {
    title: `runs of ${problemText(point)} in the order of time`,
    x: { scale: d3.scaleLinear().domain([1, Math.max(samples.length, 2)]), ticks: d3.ticks(1, Math.max(samples.length, 2), 6), text: String },
    y: { scale: d3.scaleLog().domain(domain).clamp(true), ticks: logTicks(domain, 6), text: usText },
  });
  const { svg, inside, x, y } = picture;
  const colour = colourOf(nameOf(point));
  svg.append("rect").attr("class", "band").style("fill", colour).attr("x", inside.left).attr("width", inside.right - inside.left)
    .attr("y", y(point.ci95_us[1])).attr("height", Math.max(1, y(point.ci95_us[0]) - y(point.ci95_us[1])));
  svg.append("line").style("stroke", colour).attr("x1", inside.left).attr("x2", inside.right)
    .attr("y1", y(point.median_us)).attr("y2", y(point.median_us));
  svg.append("g").style("fill", colour).selectAll("circle").data(samples).enter().append("circle").attr("r", 1.8)
    .style("opacity", 0.7).attr("cx", (us, index) => x(index + 1)).attr("cy", (us) => y(us));
}
