// Maps: a cell for each size and number of members.

// Blue where a ratio is above 1, orange where it is below; full colour from `full` times on.
function shade(ratio, full) {
  const strength = Math.min(1, Math.abs(Math.log2(ratio)) / Math.log2(full));
  return `background: rgba(var(--${ratio >= 1 ? "ahead" : "behind"}), ${(0.06 + 0.6 * strength).toFixed(3)})`;
}

function speedOver(provider) {
  return {
    key: `speed over ${provider}`,
    says: `Its time over Tutti's: above 1, blue, Tutti is faster; below 1, orange, ${provider} is.`,
    cell: (own, points) => {
      const other = points.find((point) => nameOf(point) === provider && sameProblem(point, own));
      if (other === undefined) {
        return null;
      }
      const ratio = other.median_us / own.median_us;
      return { text: timesText(ratio), style: shade(ratio, 4) };
    },
  };
}

const distanceFromFloor = {
  key: "distance from the floor",
  says: "Tutti's time over that of the same loads and stores without any synchronisation: the nearer to 1, the less is left to gain.",
  cell: (own) => {
    const ratio = own.median_us / own.floor_us;
    return own.floor_us > 0 ? { text: timesText(ratio), style: shade(1 / Math.max(ratio, 1), 16) } : null;
  },
};

function wordCell(word, words) {
  return { text: word, word: true, style: `background: color-mix(in srgb, var(--s${words.indexOf(word) % colours}) 22%, transparent)` };
}

const chosenAlgorithm = {
  key: "chosen algorithm",
  says: "What the library chose by itself.",
  cell: (own) => own.chosen ? wordCell(own.chosen, unique(allPoints.map((point) => point.chosen).filter((word) => word))) : null,
};

const fastestAlgorithm = {
  key: "fastest algorithm",
  says: "Of all that were measured, the one with the least median, be that significant or not; \"auto\" is the library's choice.",
  cell: (own, points) => {
    const best = points.filter((point) => point.provider === "tutti" && sameProblem(point, own))
      .reduce((a, b) => (b.median_us < a.median_us ? b : a));
    return wordCell(best.algorithm, unique(allPoints.map((point) => point.algorithm)));
  },
};

function mapsOf(file) {
  const providers = unique(file.points.map((point) => point.provider)).filter((provider) => provider !== "tutti");
  return [
    ...providers.map(speedOver),
    ...(file.points.some((point) => isChoice(point) && point.floor_us > 0) ? [distanceFromFloor] : []),
    ...(file.points.some((point) => point.chosen) ? [chosenAlgorithm] : []),
    ...(file.points.some((point) => point.provider === "tutti" && !isChoice(point)) ? [fastestAlgorithm] : []),
  ];
}

// `cellOf` gives { text, style, word, marked } for a size and a number of members, or null.
function mapTable(sizes, members, cellOf) {
  const row = (bytes) => make("tr", {}, make("th", { scope: "row" }, bytes > 0 ? bytesText(bytes) : ""),
    ...members.map((count) => {
      const cell = cellOf(bytes, count);
      return cell === null ? make("td", { class: "soft" }, "–")
        : make("td", { style: cell.style, class: (cell.word ? "word " : "") + (cell.marked ? "marked" : "") }, cell.text);
    }));
  return make("table", { class: "map" },
    make("thead", {}, make("tr", {}, make("th", {}, ""), ...members.map((count) => make("th", { scope: "col" }, `${count} members`)))),
    make("tbody", {}, ...sizes.map(row)));
}

function sizesOf(points) {
  return unique(points.map((point) => point.bytes)).sort((a, b) => a - b);
}

function membersOf(points) {
  return unique(points.map((point) => point.members)).sort((a, b) => a - b);
}

function mapsSection() {
  const maps = mapsOf(data.files[0]);
  if (maps.length === 0) {
    return null;
  }
  scene.map = maps[0].key;
  const controls = make("div", { class: "buttons" }, choice("map", maps.map((map) => map.key), String, "map"));
  const says = make("p", { class: "soft" });
  const grid = make("div", { class: "maps" });
  scene.redraw.push(() => {
    const map = maps.find((each) => each.key === scene.map);
    says.replaceChildren(`${map.key[0].toUpperCase()}${map.key.slice(1)}. ${map.says}`);
    grid.replaceChildren();
    for (const collective of all.collectives) {
      const points = data.files[0].points.filter((point) => point.collective === collective && isOfKind(point, scene.kind));
      const own = points.filter(isChoice);
      if (own.length > 0) {
        grid.append(make("section", { class: "card" }, make("h3", {}, collective), mapTable(sizesOf(own), membersOf(own), (bytes, members) => {
          const point = own.find((each) => each.bytes === bytes && each.members === members);
          return point === undefined ? null : map.cell(point, points);
        })));
      }
    }
  });
  return make("section", { id: "maps" }, make("h2", {}, "Maps"), controls, says, grid);
}
