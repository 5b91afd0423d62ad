// The reader's selection, and the colours of series.

const scene = {
  members: all.members[0],
  kind: all.kinds[0],
  map: null,
  hidden: new Set(),
  redraw: [],
};

// Many algorithms in one picture are a tangle: readers ask for them.
const mostNamedShown = 3;
{
  const named = all.names.filter((name) => name.startsWith("tutti "));
  if (named.length > mostNamedShown) {
    named.forEach((name) => scene.hidden.add(name));
  }
}

const colours = 7;
const dashes = ["", "7 4", "2 4", "9 3 2 3"];

function colourOf(name) {
  return `var(--s${all.names.indexOf(name) % colours})`;
}

// When colours are used up, and in every further file, lines are broken.
function dashOf(name, file) {
  return dashes[(Math.floor(all.names.indexOf(name) / colours) + file.index) % dashes.length];
}

function change(what) {
  Object.assign(scene, what);
  scene.redraw.forEach((draw) => draw());
}

// A row of buttons, of which one is pressed; nothing where there is nothing to choose.
function choice(label, values, text, field) {
  if (values.length < 2) {
    return null;
  }
  const buttons = values.map((value) => make("button", { type: "button", "data-value": text(value), click: () => change({ [field]: value }) },
    text(value)));
  scene.redraw.unshift(() => buttons.forEach((button, index) =>
    button.setAttribute("aria-pressed", String(values[index] === scene[field]))));
  return make("div", { class: "choice", "data-field": field }, make("span", {}, label), ...buttons);
}

function drawControls(node) {
  const controls = [choice("members", all.members, String, "members"), choice("operands", all.kinds, kindText, "kind")]
    .filter((control) => control !== null);
  node.hidden = controls.length === 0;
  node.append(...controls);
}
