// The page, from top to end.

function drawTop(node) {
  const first = data.files[0];
  const environment = first ? first.environment : {};
  const machine = environment.machine || {};
  const profile = data.profiles[0];
  const title = machine.model || (profile ? profile.title : "") || "Tutti";
  document.title = `Tutti: ${title}`;
  const words = [];
  if (machine.cpus) {
    words.push(`${machine.cpus} of ${machine.cpus_in_machine} CPUs (${machine.cpu_list})`);
  }
  if (machine.l2_bytes || machine.l3_bytes) {
    words.push([[machine.l2_bytes, "L2"], [machine.l3_bytes, "L3"]].filter(([bytes]) => bytes)
      .map(([bytes, level]) => `${bytesText(bytes)} of ${level}`).join(", "));
  }
  if (environment.versions && environment.versions.tutti) {
    words.push(`Tutti ${environment.versions.tutti}`);
  }
  if (environment.time) {
    words.push(String(environment.time).replace("T", " ").replace("Z", " UTC"));
  }
  node.append(make("h1", {}, title), make("p", { class: "soft" }, words.join(" · ")));
  append(node, missingCharts());
  append(node, findingsList());
  for (const command of unique(data.files.map((file) => file.environment.command).filter((each) => each))) {
    node.append(make("pre", { class: "command", title: "what repeats it" }, `$ ${command}`));
  }
}

function drawEnd(node) {
  node.append(make("p", {}, `Written by tutti ${data.version}. A run lasts from the first entry to the last exit; before each, members rewrite ` +
    "their inputs. Bytes are those of the longest vector that a member holds. The floor is the same loads and stores without any " +
    "synchronisation."));
}

function curvesSection() {
  if (!hasCharts || data.files.length === 0) {
    return null;
  }
  const says = make("p", { class: "soft" });
  scene.redraw.push(() => says.replaceChildren(`${scene.members} members, ${kindText(scene.kind)}. Both axes are logarithmic. ` +
    "Bands are 95 % intervals of the medians. Choose a point, and below appear its runs."));
  return make("section", { id: "curves" }, make("h2", {}, "Curves"), says, ...all.collectives.map(curvesCard));
}

// Pictures are as wide as their places, which have to be on the page first.
function draw() {
  const main = document.getElementById("main");
  main.replaceChildren();
  drawTop(document.getElementById("top"));
  drawControls(document.getElementById("scene"));
  for (const section of [curvesSection, mapsSection, changesSection, machineSection, filesSection]) {
    append(main, data.files.length === 0 && section === mapsSection ? null : section());
  }
  drawEnd(document.getElementById("end"));
  change({});
  onResize(() => change({}));
}

draw();
