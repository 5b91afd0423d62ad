// The numbers themselves: tables, and files to keep.

function jsonOf(file) {
  const points = file.rows.map((row) => Object.fromEntries(file.fields.map((field, column) => [field, row[column]])));
  return `{"schema": ${JSON.stringify(file.schema)},\n"environment": ${JSON.stringify(file.environment)},\n"points": [\n` +
    `${points.map((point) => JSON.stringify(point)).join(",\n")}\n]}\n`;
}

function save(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function stem(file) {
  return file.name.replace(/\.json$/, "").replace(/[^\w.-]+/g, "-");
}

function pointsTable(file) {
  return table("list", ["collective", "bytes", "members", "provider", "algorithm", "median", "95 % interval", "bandwidth", "floor", "/ floor", "wrong"],
    file.points.map((point) => [
      `${point.collective}${point.in_place ? " in place" : ""}`, number(bytesText(point.bytes)), number(String(point.members)), point.provider,
      point.algorithm + (point.chosen ? ` (${point.chosen})` : ""), number(usText(point.median_us)),
      number(`${usText(point.ci95_us[0])} to ${usText(point.ci95_us[1])}`),
      number(point.bytes > 0 && point.median_us > 0 ? bandwidthText(gigabytesPerSecond(point.bytes, point.median_us)) : ""),
      number(point.floor_us > 0 ? usText(point.floor_us) : ""), number(point.floor_us > 0 ? timesText(point.median_us / point.floor_us) : ""),
      number(String(point.wrong)),
    ]));
}

// A table is made when it is opened: of thousands of rows it takes a second.
function opened(title, content, isOpen) {
  const details = make("details", {}, make("summary", {}, title));
  details.addEventListener("toggle", () => { details.append(content()); }, { once: true });
  details.open = isOpen;
  return details;
}

function filesSection() {
  if (data.files.length === 0) {
    return null;
  }
  const parts = data.files.flatMap((file) => [
    make("div", { class: "choice buttons" }, make("span", {}, file.name),
      make("button", { type: "button", click: () => save(`${stem(file)}.json`, jsonOf(file)) }, "save as JSON")),
    opened(`${file.points.length} points`, () => make("div", { class: "scroll" }, pointsTable(file)), !hasCharts),
  ]);
  return make("section", { id: "files" }, make("h2", {}, "The data"),
    make("p", { class: "soft" }, "All that this page shows is in it, with six digits and at most 256 runs of a point; fewer where points are many. " +
      "`tutti compare` and `tutti report` read the JSON."), ...parts);
}
