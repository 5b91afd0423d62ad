// How other files differ from the first, as `tutti compare` judges it.

const signs = { slower: "▲ ", faster: "▼ ", unclear: "? ", "not significant": "· ", same: "" };

function changesOf(index) {
  const [before, after] = [data.files[0], data.files[index + 1]];
  return data.changes[index].rows.map(([old, now, change, p]) => ({
    before: before.points[old], after: after.points[now], change, p, ratio: after.points[now].median_us / before.points[old].median_us,
  }));
}

function changeCell(each) {
  const isSure = each.change === "slower" || each.change === "faster";
  return {
    text: signs[each.change] + timesText(each.ratio), marked: isSure, style: isSure ? shade(1 / each.ratio, 3) : "",
  };
}

function changeMaps(changes) {
  const grid = make("div", { class: "maps" });
  scene.redraw.push(() => {
    grid.replaceChildren();
    for (const collective of all.collectives) {
      const own = changes.filter((each) => each.after.collective === collective && isChoice(each.after) && isOfKind(each.after, scene.kind));
      if (own.length > 0) {
        const points = own.map((each) => each.after);
        grid.append(make("section", { class: "card" }, make("h3", {}, collective), mapTable(sizesOf(points), membersOf(points), (bytes, members) => {
          const found = own.find((each) => each.after.bytes === bytes && each.after.members === members);
          return found === undefined ? null : changeCell(found);
        })));
      }
    }
  });
  return grid;
}

// Significant changes first, and among these the largest.
function changeTable(changes) {
  const order = Object.keys(signs);
  const told = changes.filter((each) => each.change !== "same").sort((a, b) =>
    order.indexOf(a.change) - order.indexOf(b.change) || Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  if (told.length === 0) {
    return make("p", { class: "soft" }, "No point differs.");
  }
  return make("div", { class: "card scroll" }, table("list", ["", "who", "what", "before", "after", "after / before", "p"], told.map((each) => [
    signs[each.change] + each.change, nameOf(each.after), problemText(each.after), number(usText(each.before.median_us)),
    number(usText(each.after.median_us)), number(timesText(each.ratio)), number(each.p === 0 ? "0" : each.p.toExponential(0)),
  ])));
}

function changesSection() {
  if (data.changes.length === 0) {
    return null;
  }
  const parts = data.changes.flatMap((unused, index) => {
    const changes = changesOf(index);
    return [make("h3", {}, `${data.files[0].name} → ${data.files[index + 1].name}`), changeMaps(changes), changeTable(changes)];
  });
  return make("section", { id: "changes" }, make("h2", {}, "Changes"),
    make("p", { class: "soft" }, "Time after over time before. ▲ slower and ▼ faster are significant by the test of Mann and Whitney and by " +
      "10 % of the median; ? is unclear: no more than parts of one file's runs differ, or than the floor has changed; · is not significant."), ...parts);
}
