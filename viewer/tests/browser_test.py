#!/usr/bin/env python3
"""A report in a browser: it loads without an error, draws every chart, and does what a reader asks of it.

    browser_test.py COMMAND FOLDER CHARTS    CHARTS: 1 where the command was built with the charts' library

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
    numbers = {}
    for name in ("one-way.min", "one-way.median", "one-way.max", "readers.base", "readers.each", "flag", "taken-back"):
        numbers[f"l3.{name}"] = {"ns": 20, "source": "timed"}
    for name in ("l3.fetch", "l3.fetch.contended", "l3.store",
                 "core.l2.read", "core.l2.write", "core.l3.read", "core.l3.write"):
        numbers[name] = {"GB/s": 20, "source": "timed"}
    for part in ("core", "l3"):
        for access in ("read", "write", "copy"):
            numbers[f"{part}.memory.{access}"] = {"GB/s": 20, "source": "timed"}
    numbers |= {"exclusive-store": {"ns": 5, "source": "timed"}, "call": {"ns": 100, "source": "timed"}}
    rows = [[10 if row // 8 == column // 8 else 90 for column in range(row)] for row in range(16)]
    return {"format": "tutti-line-profile 2", "name": "sixteen <b>", "topology": "", "classes": ["l3"],
            "sources": {"timed": {"origin": "measured", "text": "made up"}}, "numbers": numbers,
            "pairs": {"cpus": list(range(16)), "one-way-ns": rows}}


RECORDER = """<script>
window.errors = [];
window.onerror = (text) => { errors.push(String(text)); };
window.alert = (text) => { errors.push("alert " + text); };
console.error = (...words) => { errors.push(words.join(" ")); };
document.addEventListener("securitypolicyviolation", (event) => errors.push("asked for " + event.blockedURI));
</script>"""

CHECKS = """<script>
const wrong = window.errors;
const verdict = { saved: "", wrong };
(async () => {
  const check = (is, what) => { if (!is) { wrong.push(what); } };
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const curves = () => every(".card[data-collective] .curve").map((path) => path.getAttribute("d")).join();
  const saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "data:,"; };
  verdict.charts = every("svg").length;
  check(every("#top img, #main img").length === 0, "a text became HTML");
  check(document.querySelector("h1").textContent === MODEL, "the machine's name is shown as it is");
  check(every(".findings li").length >= 3, "sentences");
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
    check(every('[data-field="members"] [aria-pressed="true"]').map((each) => each.textContent).join() === "8", "the button is pressed");
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
    for (let at = 0; at < 200; ++at) {
      zone.dispatchEvent(new MouseEvent("mousemove", { clientX: box.left + (box.width * at) / 200, clientY: box.top + 40, bubbles: true, view: window }));
    }
  } else {
    check(document.querySelector(".missing").textContent.includes("charts are missing"), "it says that charts are missing");
    check(every("#files table tbody tr").length > 4000, "tables instead");
  }
  for (const button of every("#maps button")) {
    button.click();
    check(every("#maps .map td").length > 500, "map " + button.textContent);
  }
  check(every("#changes .marked").length > 0, "changes are marked");
  const changed = every("#changes .list tbody tr").map((row) => row.cells[0].textContent);
  check(changed[0] === "▲ slower" && changed[changed.length - 1] === "· not significant", "what is significant comes first: " + changed);
  check(every("#changes .list th").map((each) => each.className).join() === ",,,number,number,number,number", "headings are aligned as cells");
  check(every(".findings .whole").some((each) => /^\\d+ B,$/.test(each.textContent)), "a number stays with its unit");
  every("#files button").forEach((button) => button.click());
  const texts = await Promise.all(saved.map((blob) => blob.text()));
  check(texts.length === 4, "two files as JSON and CSV");
  check(JSON.parse(texts[0]).points.length === POINTS && texts[1].trim().split("\\n").length === POINTS + 1, "all points are saved");
  verdict.saved = btoa(unescape(encodeURIComponent(texts[2])));
})().catch((error) => wrong.push(String(error))).finally(() => {
  const node = document.createElement("pre");
  node.id = "verdict";
  node.textContent = JSON.stringify(verdict);
  document.body.append(node);
});
</script>"""

# A page of 400 pixels: in an element, since windows have a least width.
NARROW = """<body><iframe id="narrow" src="report.html" width="400" height="800"></iframe><script>
onload = () => {
  const page = document.getElementById("narrow").contentDocument.documentElement;
  document.body.innerHTML = `<pre id="verdict">${JSON.stringify({ wide: page.scrollWidth, seen: page.clientWidth })}</pre>`;
};
</script>"""


def main(command, folder, has_charts):
    browser = browser_found()
    if browser is None:
        print("no Chromium: skipped")
        return 77
    place = pathlib.Path(folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    sizes = [8 << index for index in range(23)]
    large = results(1, COLLECTIVES, sizes, ["tutti", "openmpi", "openmp", "std_barrier", "tbb"])
    large["points"] += [each | {"in_place": True} for each in large["points"] if each["collective"] == "allreduce"]
    small = results(3, ["allreduce"], sizes[:4], ["tutti"])
    small["points"][0] |= {"samples_us": [30, 300], "median_us": 165}  # much slower, but not by the test
    small["environment"] = {"machine": "none", "pinning": {"2": 7}, "time": 7, "versions": ["1"], "command": None}
    for name, content in (("a.json", large), ("b.json", small), ("lines.json", profile())):
        (place / name).write_text(json.dumps(content))
    tutti(command, "report", *(place / name for name in ("a.json", "b.json", "lines.json")), "-o", place / "report.html")
    page = (place / "report.html").read_text()
    verdict = checked(browser, place, page, checks_for(has_charts, large))
    wrong = verdict["wrong"]
    if wrong:
        sys.exit(f"wrong: {wrong}")
    # The same without the library, as where it was not there when the command was built.
    if has_charts:
        bare = checked(browser, place, without_library(page), checks_for(False, large))
        wrong += [f"without charts: {each}" for each in bare["wrong"]]
    (place / "saved.json").write_bytes(base64.b64decode(verdict["saved"]))
    if "4 faster" in tutti(command, "compare", place / "b.json", place / "saved.json"):
        wrong.append("what is saved is not what was read")
    (place / "narrow.html").write_text(NARROW)
    narrow = loaded(browser, place, "narrow.html")
    if narrow["wide"] > narrow["seen"]:
        wrong.append(f"{narrow['wide']} pixels wide where there are {narrow['seen']}")
    print(f"{len(large['points'])} points, {len(page)} bytes, {verdict.get('charts')} pictures; wrong: {wrong}")
    return 1 if wrong else 0


def browser_found():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def without_library(page):
    return re.sub(r'(id="data">[^<]*</script>\s*<script>).*?</script>', r"\1</script>", page, count=1, flags=re.DOTALL)


def tutti(command, *words):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def checks_for(has_charts, results_read):
    return CHECKS.replace("CHARTS", json.dumps(has_charts)).replace("COLLECTIVES", json.dumps(COLLECTIVES)) \
        .replace("MODEL", json.dumps(EVIL).replace("<", "\\u003c")).replace("POINTS", str(len(results_read["points"])))


def checked(browser, place, page, checks):
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
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] == "1"))
