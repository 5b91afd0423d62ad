#!/usr/bin/env python3
"""Pages in a browser: they load without an error, draw everything, and do what a reader asks of them.

    browser_test.py PAGE COMMAND FOLDER CHARTS    PAGE: report or timeline; CHARTS: 1 where the command was built
                                                  with the charts' library

Exit code 77 where there is no Chromium."""
import base64
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

COLLECTIVES = ["barrier", "broadcast", "reduce", "allreduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall",
               "scan", "exscan", "shift"]
EVIL = "</script><img src=x onerror=alert(1)>&amp;\"'"
PROFILE = pathlib.Path(__file__).parents[2] / "laboratory/profiles/graviton2.json"


def point(collective, provider, members, size, factor, algorithm="auto"):
    floor = (1 + size / 4096) * members / 2
    base = 2 * floor * factor
    samples = [round(base * (0.95 + 0.001 * ((i * 37) % 100)), 4) for i in range(64)]
    middle = sorted(samples)[32]
    return {"provider": provider, "collective": collective, "algorithm": algorithm, "chosen": "direct" if provider == "tutti" else "",
            "members": members, "bytes": 0 if collective == "barrier" else size, "type": "f64", "op": "sum", "in_place": collective == "broadcast",
            "shared": False, "median_us": middle, "ci95_us": [middle * 0.98, middle * 1.02], "p99_us": max(samples),
            "max_us": max(samples), "floor_us": None if collective == "barrier" else floor, "loop_us": None, "exchange_us": None,
            "wrong": 0, "repetitions": 64, "samples_us": samples}


def results(factor, collectives, sizes, providers):
    points = []
    for collective in collectives:
        for members in (2, 4, 8, 16):
            for size in sizes[:1] if collective == "barrier" else sizes:
                points += [point(collective, name, members, size, factor * (index + 1)) for index, name in enumerate(providers)]
    return {"schema": "tutti-bench-3", "points": points,
            "environment": {"machine": {"model": EVIL, "cpus": 2, "cpus_in_machine": 4, "cpu_list": "0-1", "l2_bytes": 1 << 20},
                            "system": EVIL, "command": EVIL, "time": "2026-01-31T12:00:00Z", "versions": {"tutti": "0", EVIL: EVIL},
                            "pinning": {"2": ["member 0: CPU 0", EVIL]}}}


def profile():
    rows = [[10 if row // 8 == column // 8 else 90 for column in range(row)] for row in range(16)]
    return json.loads(PROFILE.read_text()) | {"name": "sixteen <b>", "pairs": {"cpus": list(range(16)), "one-way-ns": rows}}


def line(group, rank, kind, begin, end, name=None, peer=None, size=0):
    return json.dumps({"group": group, "rank": rank, "thread": 4711 + rank, "kind": kind, "name": name or kind, "begin_ns": begin,
                       "end_ns": end, "peer": peer, "bytes": size, "number": 1})


def late(group):
    """Three members, of which the last comes 60 us late, and the others wait for it."""
    lines = []
    for rank in range(3):
        begin = 1000 + 60000 * (rank == 2)
        lines += [line(group, rank, "operation", begin, 101000, EVIL, size=65536), line(group, rank, "step", begin, 91000, "await")]
        if rank < 2:
            lines.append(line(group, rank, "wait", begin, 71000, peer=2))
        lines.append(line(group, rank, "step", 91000, 101000, "combine", peer=(rank + 1) % 3, size=4096))
    return "\n".join(lines) + "\n"


def started(group):
    """A member that has two operations in flight at a time, and then waits for the first."""
    return "\n".join([line(group, 0, "started", 1000, 91000, "barrier"), line(group, 0, "started", 11000, 101000, "allreduce", size=8),
                      line(group, 0, "wait", 51000, 91000, "request wait", peer=1), line(group, 1, "started", 90000, 91000, "barrier")]) + "\n"


RECORDER = """<script>
window.errors = [];
window.onerror = (text) => { errors.push(String(text)); };
window.alert = (text) => { errors.push("alert " + text); };
console.error = (...words) => { errors.push(words.join(" ")); };
document.addEventListener("securitypolicyviolation", (event) => errors.push("asked for " + event.blockedURI));
</script>"""

# Around the checks of a page.
BEGIN = """<script>
const wrong = window.errors;
const verdict = { saved: "", wrong };
(async () => {
  const check = (is, what) => { if (!is) { wrong.push(what); } };
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "data:,"; };
  check(every("#top img, #main img").length === 0, "a text became HTML");
  check(CHARTS || document.querySelector(".missing").textContent.includes("charts are missing"), "it says that charts are missing");
"""
END = """})().catch((error) => wrong.push(String(error))).finally(() => {
  const node = document.createElement("pre");
  node.id = "verdict";
  node.textContent = JSON.stringify(verdict);
  document.body.append(node);
});
</script>"""

REPORT_CHECKS = """  const curves = () => every(".card[data-collective] .curve").map((path) => path.getAttribute("d")).join();
  check(document.querySelector("h1").textContent === EVIL, "the machine's name is shown as it is");
  check(every("#maps .map td").length > 500, "maps");
  check(every("#maps .map").length === COLLECTIVES.length, "what has one form only has its map");
  const forms = every('[data-field="kind"] button');
  check(forms.map((each) => each.textContent).join("; ") === "f64, sum; f64, sum, in place", "forms to choose from");
  forms[1].click();
  check(every("#maps .map").length === COLLECTIVES.length, "nor is it missing beside another form");
  forms[0].click();
  if (CHARTS) {
    for (const collective of COLLECTIVES) {
      const figures = every(`.card[data-collective="${collective}"] figure`);
      check(figures.length === (collective === "barrier" ? 1 : 2), "figures of " + collective);
      for (const figure of figures) {
        const drawn = every("path.curve", figure).map((path) => path.getAttribute("d"));
        check(drawn.length >= 4 && drawn.every((d) => d.length > 20), "curves of " + collective);
        check(every("path.band", figure).length >= 4, "bands of " + collective);
      }
    }
    check(!document.getElementById("main").innerHTML.includes("NaN"), "a number is none");
    check(every(".profile rect.cell").length === 16 * 15, "matrix");
    const before = curves();
    document.querySelector('[data-field="members"] [data-value="8"]').click();
    check(curves() !== before, "another number of members shows other curves");
    const card = document.querySelector('.card[data-collective="allreduce"]');
    const shown = every(".curve", card).length;
    every(".legend button", card)[1].click();
    check(every(".curve", card).length < shown, "a series can be hidden");
    const zone = document.querySelector('.card[data-collective="allreduce"] .zone');
    const box = zone.getBoundingClientRect();
    for (const type of ["mousemove", "click"]) {
      zone.dispatchEvent(new MouseEvent(type, { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, view: window }));
    }
    check(every(".tip").length === 1, "a point is told under the pointer");
    check(every(".runs svg", card).length === 2 && every(".runs circle", card).length >= 16, "the runs of a point");
  } else {
    check(every("#files table tbody tr").length > 4000, "tables instead");
  }
  for (const button of every("#maps button")) {
    button.click();
    check(every("#maps .map td").length > 500, "map " + button.textContent);
  }
  check(every("#changes .marked").length > 0, "changes are marked");
  const changed = every("#changes .list tbody tr").map((row) => row.cells[0].textContent);
  check(changed[0] === "▲ slower" && changed[changed.length - 1] === "· not significant", "what is significant comes first: " + changed);
  every("#files button").forEach((button) => button.click());
  const texts = await Promise.all(saved.map((blob) => blob.text()));
  check(texts.length === 2 && JSON.parse(texts[0]).points.length === POINTS, "all points of both files are saved");
  verdict.saved = btoa(unescape(encodeURIComponent(texts[1])));
"""

TIMELINE_CHECKS = """  check(document.querySelector("h3").textContent === EVIL, "the group's name is shown as it is");
  check(document.querySelector(".findings .warning").textContent.includes("Member 2 is waited for: it comes 60.00 us after"), "the sentence");
  const rows = every("#main table").map((each) => [...each.querySelectorAll("tbody tr:first-child td")].map((cell) => cell.textContent).join("|"));
  check(rows.length === 3 && rows[0].startsWith("0|100 µs|30 µs|70 µs|70 %||member 2, 70 µs"), "the first member: " + rows);
  check(rows[2].startsWith("0|40 µs|0 ns|40 µs|100 %"), "who waits for a request: " + rows);
  const canvases = every("canvas");
  check(canvases.length === (CHARTS ? 3 : 0), "a picture for each timeline");
  if (CHARTS) {
    const pixels = (canvas, x, y, width) => new Uint32Array(canvas.getContext("2d").getImageData(x, y, width, 1).data.buffer);
    const colour = (name) => {
      const probe = document.createElement("canvas");
      probe.getContext("2d").fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      probe.getContext("2d").fillRect(0, 0, 1, 1);
      return pixels(probe, 0, 0, 1)[0];
    };
    // The share of pixels in a row that have a colour.
    const share = (canvas, name, top) => pixels(canvas, 0, Math.round(top * canvas.width / canvas.clientWidth), canvas.width)
      .filter((pixel) => pixel === colour(name)).length / canvas.width;
    const [wait, combine, path] = ["--s1", "--s0", "--ink"];
    const [first, last] = [22 + 5, 22 + 44 + 11];
    const before = share(canvases[0], wait, first);
    check(before > 0.6 && before < 0.75, "waits of the first member: " + before);
    check(share(canvases[0], combine, first) > 0.07, "its steps");
    check(share(canvases[0], wait, first + 44) === 0, "the last member waits for nobody");
    const at = (canvas, part, top) => {
      const box = canvas.getBoundingClientRect();
      return { clientX: box.left + 34 + (box.width - 42) * part, clientY: box.top + top, bubbles: true, cancelable: true, view: window };
    };
    const tipAt = (canvas, part, top) => {
      canvas.dispatchEvent(new MouseEvent("mousemove", at(canvas, part, top)));
      const text = every(".tip").map((each) => each.textContent).join();
      canvas.dispatchEvent(new MouseEvent("mouseleave"));
      check(every(".tip").length === 0, "the tip goes");
      return text;
    };
    const tip = tipAt(canvases[0], 0.3, first);
    check(tip.includes("member 0: waits for member 2") && tip.includes("70 µs") && tip.includes("in the step await"), "a wait under the pointer: " + tip);
    check(tipAt(canvases[0], 0.95, first).includes("4 KiB, member 1"), "a step under the pointer");
    // Rows of the third: the first member, its two in flight, the other member, its one.
    const inFlight = [22, 44, 66, 88, 110].map((top) => share(canvases[2], "--s4", 5 + top) > 0);
    check(inFlight.join() === "false,true,true,false,true", "rows of what is in flight: " + inFlight);
    check(tipAt(canvases[2], 0.7, first).includes("member 0: waits for member 1"), "a wait for a request under the pointer");
    const request = tipAt(canvases[2], 0.7, first + 44);
    check(request.includes("member 0: allreduce") && request.includes("8 B, started 1"), "a request under the pointer: " + request);
    // At the end only the combining is left, in both pictures.
    for (let turn = 0; turn < 20; ++turn) {
      canvases[0].dispatchEvent(new WheelEvent("wheel", { ...at(canvases[0], 0.97, first), deltaY: -200 }));
    }
    check(share(canvases[0], wait, first) === 0 && share(canvases[0], combine, first) > 0.9, "the wheel shows less time");
    check(share(canvases[1], combine, first) > 0.9, "all pictures move together");
    every("nav button").find((each) => each.textContent === "whole").click();
    await new Promise((resolve) => setTimeout(resolve, 500));
    check(Math.abs(share(canvases[0], wait, first) - before) < 0.01, "the whole again");
    check(share(canvases[0], path, last) > 0.05, "the critical path is on the last member");
    every("nav button[aria-pressed]")[0].click();
    check(share(canvases[0], path, last) === 0, "the critical path can be hidden");
  }
"""

# A page of 400 pixels: in an element, since windows have a least width.
NARROW = """<body><iframe id="narrow" src="report.html" width="400" height="800"></iframe><script>
onload = () => {
  const page = document.getElementById("narrow").contentDocument.documentElement;
  document.body.innerHTML = `<pre id="verdict">${JSON.stringify({ wide: page.scrollWidth, seen: page.clientWidth })}</pre>`;
};
</script>"""


def make_report(command, place):
    sizes = [8 << index for index in range(23)]
    large = results(1, COLLECTIVES, sizes, ["tutti", "openmpi", "openmp", "std_barrier", "mpich"])
    large["points"] += [each | {"in_place": True} for each in large["points"] if each["collective"] == "allreduce"]
    small = results(3, ["allreduce"], sizes[:4], ["tutti"])
    small["points"][0] |= {"samples_us": [30, 300], "median_us": 165}  # much slower, but not by the test
    small["environment"] = {"machine": "none", "pinning": {"2": 7}, "time": 7, "versions": ["1"], "command": None}
    for name, content in (("a.json", large), ("b.json", small), ("lines.json", profile())):
        (place / name).write_text(json.dumps(content))
    tutti(command, "report", *(place / name for name in ("a.json", "b.json", "lines.json")), "-o", place / "report.html")
    return REPORT_CHECKS.replace("POINTS", str(len(large["points"])))


def make_timeline(command, place):
    (place / "late.jsonl").write_text(late(EVIL) + late("again") + started("flying"))
    tutti(command, "trace", place / "late.jsonl", "--html", place / "report.html")
    return TIMELINE_CHECKS


def main(make, command, folder, has_charts):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: skipped")
        return 77
    place = pathlib.Path(folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    checks = BEGIN + make(command, place) + END
    page = (place / "report.html").read_text()
    verdict = checked(browser, place, page, checks, has_charts)
    wrong = verdict["wrong"]
    # The same without the library, as where it was not there when the command was built.
    if has_charts:
        bare = checked(browser, place, without_library(page), checks, False)
        wrong += [f"without charts: {each}" for each in bare["wrong"]]
    if verdict["saved"]:
        (place / "saved.json").write_bytes(base64.b64decode(verdict["saved"]))
        if "16 the same" not in tutti(command, "compare", place / "b.json", place / "saved.json"):
            wrong.append("what is saved is not what was read")
    (place / "narrow.html").write_text(NARROW)
    narrow = loaded(browser, place, "narrow.html")
    if narrow["wide"] > narrow["seen"]:
        wrong.append(f"{narrow['wide']} pixels wide where there are {narrow['seen']}")
    print(f"{len(page)} bytes; wrong: {wrong}")
    return 1 if wrong else 0


def without_library(page):
    return re.sub(r'(id="data">[^<]*</script>\s*<script>).*?</script>', r"\1</script>", page, count=1, flags=re.DOTALL)


def tutti(command, *words):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def checked(browser, place, page, checks, has_charts):
    evil = json.dumps(EVIL).replace("<", "\\u003c")
    for name, value in (("CHARTS", json.dumps(has_charts)), ("COLLECTIVES", json.dumps(COLLECTIVES)), ("EVIL", evil)):
        checks = checks.replace(name, value)
    (place / "checked.html").write_text(page.replace("<head>", "<head>" + RECORDER, 1).replace("</body>", checks + "</body>"))
    return loaded(browser, place, "checked.html")


def loaded(browser, place, name):
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files",
             f"--user-data-dir={place}/profile", "--virtual-time-budget=20000", "--window-size=1280,900", "--dump-dom", (place / name).resolve().as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r'<pre id="verdict">(.*?)</pre>', done.stdout, re.DOTALL)
    if found is None:
        sys.exit(f"{name} has not come to its end: {done.stderr[-2000:]}")
    return json.loads(html.unescape(found.group(1)))


if __name__ == "__main__":
    sys.exit(main({"report": make_report, "timeline": make_timeline}[sys.argv[1]], sys.argv[2], sys.argv[3], sys.argv[4] == "1"))
