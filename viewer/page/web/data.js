// The points of the files, and how they are written.

for (const [index, file] of data.files.entries()) {
  file.index = index;
  file.environment = file.environment || {};
  file.points = file.rows.map((row, at) => {
    const point = { file, at };
    file.fields.forEach((field, column) => { point[field] = row[column]; });
    return point;
  });
}

function operandsOf(point) {
  return [point.type, point.op].filter((word) => word).join(", ");
}

function formOf(point) {
  return [point.in_place ? "in place" : "", point.shared ? "one result for all" : ""].filter((word) => word).join(", ");
}

// A provider, with an algorithm that was named.
function nameOf(point) {
  return point.algorithm === "auto" ? point.provider : `${point.provider} ${point.algorithm}`;
}

function isChoice(point) {
  return point.provider === "tutti" && point.algorithm === "auto";
}

const allPoints = data.files.flatMap((file) => file.points);
const all = {
  members: unique(allPoints.map((point) => point.members)).sort((a, b) => a - b),
  collectives: unique(allPoints.map((point) => point.collective)),
  // Tutti first, then the other providers, then algorithms by name.
  names: unique(allPoints.map(nameOf)).sort((a, b) =>
    (b === "tutti") - (a === "tutti") || a.startsWith("tutti ") - b.startsWith("tutti ")),
};

{
  const forms = (points) => unique(points.map(formOf));
  all.several = all.collectives.filter((name) => forms(allPoints.filter((point) => point.collective === name)).length > 1);
  // The kinds of measurements besides size and members: a page shows one kind at a time.
  all.kinds = unique(allPoints.map(operandsOf)).flatMap((operands) => {
    const points = allPoints.filter((point) => operandsOf(point) === operands);
    const chosen = forms(points.filter((point) => all.several.includes(point.collective)));
    const only = forms(points).length === 1 ? forms(points) : [""];
    return (chosen.length > 0 ? chosen : only).map((form) => ({ operands, form }));
  });
}

function kindText(kind) {
  return kind.operands + (kind.form ? `, ${kind.form}` : "");
}

// Points of a collective that has one form only belong to every choice of a form.
function isOfKind(point, kind) {
  return operandsOf(point) === kind.operands && (!all.several.includes(point.collective) || formOf(point) === kind.form);
}

function sameProblem(a, b) {
  return a.collective === b.collective && a.members === b.members && a.bytes === b.bytes && operandsOf(a) === operandsOf(b) &&
    formOf(a) === formOf(b);
}

// Bytes a microsecond are MB/s.
function gigabytesPerSecond(bytes, us) {
  return bytes / us / 1000;
}

function bandwidthText(gigabytes) {
  return `${digits(gigabytes)} GB/s`;
}

function problemText(point) {
  return `${point.collective}${point.bytes > 0 ? ` ${bytesText(point.bytes)}` : ""}, ${point.members} members${point.in_place ? ", in place" : ""}`;
}
