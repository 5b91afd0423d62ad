// The machine: what files say of it, what lines take between its CPUs, and what memory yields.

// A row for each fact, a column for each file. Differences between files are marked.
function factsTable() {
  const facts = data.files.map((file) => [...file.facts.map(readable), ...otherFacts(file.environment)]);
  const names = unique(facts.flatMap((each) => each.map(([name]) => name)));
  const value = (each, name) => (each.find((fact) => fact[0] === name) || ["", ""])[1];
  const rows = names.filter((name) => facts.some((each) => value(each, name) !== "")).map((name) => {
    const values = facts.map((each) => value(each, name));
    return make("tr", { class: unique(values).length > 1 && name !== "measured" ? "differs" : null }, make("th", { scope: "row" }, name),
      ...values.map((each) => make("td", {}, each === "" ? "not stated" : each)));
  });
  return table("facts list", data.files.length > 1 ? ["", ...data.files.map((file) => file.name)] : [], rows);
}

// "bytes of L2": 1048576.
function readable([name, value]) {
  return [name, name.startsWith("bytes of") && value !== "" ? bytesText(Number(value)) : value];
}

function otherFacts(environment) {
  const machine = environment.machine || {};
  const facts = [];
  for (const [key, name] of [["l3_caches", "L3 caches"], ["l2_caches", "L2 caches"]]) {
    if (machine[key] !== undefined) {
      facts.push([name, String(machine[key])]);
    }
  }
  for (const [provider, version] of Object.entries(environment.versions || {})) {
    if (provider !== "tutti") {
      facts.push([`version of ${provider}`, String(version)]);
    }
  }
  for (const [members, lines] of Object.entries(environment.pinning || {})) {
    facts.push([`CPUs of ${members} members`, [].concat(lines).map((line) => String(line).replace(/^member \d+: (CPUs? )?/, "")).join(", ")]);
  }
  if (environment.time) {
    facts.push(["measured", String(environment.time)]);
  }
  [].concat(machine.notes || []).forEach((note) => facts.push(["note", String(note)]));
  return facts;
}

const levelNames = {
  core: "core", l3: "L3 cache", node: "NUMA node", socket: "socket", link: "link between sockets",
};

// [value, origin]
function origin(pair) {
  return pair[1] === "estimated" ? "estimated" : null;
}

function bandwidthTable(levels) {
  const most = Math.max(...levels.flatMap((level) => [level.read[0], level.write[0], level.copy[0]]));
  const rows = levels.flatMap((level) => ["read", "write", "copy"].map((access, index) => {
    const [gigabytes] = level[access];
    const bar = make("div", { class: "bar", style: `width: ${((100 * gigabytes) / most).toFixed(1)}%` });
    return [index === 0 ? levelNames[level.class] : "", access,
      make("td", { class: `number ${origin(level[access]) || ""}` }, bandwidthText(gigabytes)), make("td", {}, bar)];
  }));
  return table("bars list", ["all cores of a", "", "", ""], rows);
}

function linesTable(levels) {
  const most = Math.max(...levels.map((level) => level.one_way[2][0]));
  const percent = (ns) => `${((100 * ns) / most).toFixed(1)}%`;
  return table("bars list", ["CPUs that share a", "least", "median", "most", ""], levels.map((level) => {
    const [low, middle, high] = level.one_way.map((pair) => pair[0]);
    const bar = make("i", { style: `left: ${percent(low)}; width: ${percent(Math.max(high - low, 0))}` });
    const cell = (index) => make("td", { class: `number ${origin(level.one_way[index]) || ""}` }, `${digits(level.one_way[index][0])} ns`);
    return [levelNames[level.class], cell(0), cell(1), cell(2),
      make("td", {}, make("div", { class: "range" }, bar, make("b", { style: `left: ${percent(middle)}` })))];
  }));
}

// A row and a column for each CPU, in the order of the machine; frames around groups that show in the times.
function drawMatrix(node, profile) {
  const count = profile.cpus.length;
  const margin = 34;
  const cell = Math.max(8, Math.min(34, (Math.max(node.clientWidth, 260) - margin) / count));
  const side = margin + cell * count;
  const times = profile.one_way_ns.flat().filter((ns) => ns !== null);
  const [low, high] = d3.extent(times);
  const depth = d3.scaleLog().domain([Math.max(low, 0.1), Math.max(high, low * 1.01, 0.2)]).range([0.06, 0.95]).clamp(true);
  const svg = d3.select(node).append("svg").attr("viewBox", `0 0 ${side} ${side}`).style("max-width", `${side}px`)
    .attr("role", "img").attr("aria-label", `times between CPUs of ${profile.title}`);
  const every = Math.ceil(22 / cell);
  profile.cpus.forEach((cpu, index) => {
    if (index % every === 0) {
      const middle = margin + cell * (index + 0.5);
      svg.append("text").attr("x", margin - 6).attr("y", middle + 4).attr("text-anchor", "end").text(cpu);
      svg.append("text").attr("x", middle).attr("y", margin - 8).attr("text-anchor", "middle").text(cpu);
    }
    profile.one_way_ns[index].forEach((ns, other) => {
      if (ns === null) {
        return;
      }
      const square = svg.append("rect").attr("class", "cell").attr("x", margin + cell * other).attr("y", margin + cell * index)
        .attr("width", cell - 0.6).attr("height", cell - 0.6).style("fill", "var(--accent)").style("fill-opacity", depth(ns));
      square.append("title").text(`CPU ${cpu} and ${profile.cpus[other]}: ${digits(ns)} ns`);
      if (cell >= 26) {
        svg.append("text").attr("x", margin + cell * (other + 0.5)).attr("y", margin + cell * (index + 0.5) + 4).attr("text-anchor", "middle")
          .style("fill", depth(ns) > 0.5 ? "var(--card)" : "var(--ink)").style("pointer-events", "none").text(digits(ns));
      }
    });
  });
  for (const groups of profile.groups) {
    let first = 0;
    for (let at = 1; at <= count; ++at) {
      if (at === count || groups[at] !== groups[first]) {
        svg.append("rect").attr("x", margin + cell * first).attr("y", margin + cell * first).attr("width", cell * (at - first))
          .attr("height", cell * (at - first)).style("fill", "none").style("stroke", "var(--s1)").style("stroke-width", 1.6);
        first = at;
      }
    }
  }
}

function profileCard(profile) {
  const matrix = make("figure");
  const withLines = profile.levels.filter((level) => level.one_way);
  const hasEstimates = JSON.stringify(profile.levels).includes('"estimated"');
  if (profile.cpus && hasCharts) {
    matrix.append(make("figcaption", {}, "ns from a store on one CPU to the load on the other that sees it, by the system's numbers of CPUs, " +
      "in the order in which they are in the machine. Frames: groups that show in the times."));
    const canvas = make("div");
    matrix.append(canvas);
    scene.redraw.push(() => { canvas.replaceChildren(); drawMatrix(canvas, profile); });
  } else if (profile.cpus) {
    matrix.append(make("figcaption", {}, "ns from a store on one CPU to the load on the other that sees it"),
      make("div", { class: "scroll" }, table("list", ["CPU", ...profile.cpus.map(String)], profile.one_way_ns.map((row, index) =>
        [String(profile.cpus[index]), ...row.map((ns) => number(ns === null ? "" : digits(ns)))]))));
  } else {
    matrix.append(make("figcaption", {}, "This file has no times between single CPUs."));
  }
  return make("section", { class: "card profile" },
    make("h3", {}, profile.title), make("p", { class: "small soft" }, profile.name + (profile.topology ? ` · ${profile.topology}` : "")),
    make("div", { class: "pair" },
      matrix,
      make("figure", {},
        ...(withLines.length > 0 ? [make("figcaption", {}, "a line from CPU to CPU, one way"), linesTable(withLines)] : []),
        make("figcaption", {}, "bandwidth of memory by level"), bandwidthTable(profile.levels),
        hasEstimates ? make("figcaption", {}, "slanted: estimated") : null)));
}

function machineSection() {
  if (data.files.length + data.profiles.length === 0) {
    return null;
  }
  const facts = data.files.length > 0 ? make("div", { class: "card scroll" }, factsTable()) : null;
  return make("section", { id: "machine" }, make("h2", {}, "The machine"), facts, ...data.profiles.map(profileCard));
}
