#!/usr/bin/env python3
"""Timelines in a browser: the page loads without an error, draws them, and does what a reader asks of it.

    timeline_browser_test.py COMMAND FOLDER CHARTS    CHARTS: 1 where the command was built with the charts' library

Exit code 77 where there is no Chromium."""
import json
import pathlib
import shutil
import sys

from browser_test import EVIL, NARROW, browser_found, checked, loaded, tutti, without_library


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


CHECKS = """<script>
const wrong = window.errors;
(async () => {
  const check = (is, what) => { if (!is) { wrong.push(what); } };
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  check(every("#top img, #main img").length === 0, "a text became HTML");
  check(document.querySelector("h3").textContent === GROUP, "the group's name is shown as it is");
  check(document.querySelector(".findings .warning").textContent.includes("Member 2 is waited for: it comes 60.00 us after"), "the sentence");
  check(every("#main table").length === 3, "a table for each timeline");
  check(every(".findings li")[2].textContent.includes("flying: 2 requests among 2 members, 100.0 us from"), "requests: " + every(".findings li")[2].textContent);
  const waiter = every("#main table")[2].querySelectorAll("tbody tr:first-child td");
  check([...waiter].map((cell) => cell.textContent).slice(1, 5).join("|") === "40 µs|0 ns|40 µs|100 %", "who waits for a request: " + [...waiter].map((cell) => cell.textContent).join("|"));
  const cells = every("#main table tbody tr:first-child td").slice(0, 7).map((cell) => cell.textContent);
  check(cells.join("|") === "0|100 µs|30 µs|70 µs|70 %||member 2, 70 µs", "the first member: " + cells.join("|"));
  const canvases = every("canvas");
  if (CHARTS) {
    check(canvases.length === 3, "a picture for each timeline");
    // The share of pixels in the first row of members that are orange, and in which its colours are.
    const style = getComputedStyle(document.documentElement);
    const parts = (name) => {
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = style.getPropertyValue(name).trim();
      probe.fillRect(0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data.join();
    };
    const [wait, combine] = [parts("--s1"), parts("--s0")];
    const share = (canvas, colour, top) => {
      const scale = canvas.width / canvas.clientWidth;
      const row = canvas.getContext("2d").getImageData(0, Math.round(top * scale), canvas.width, 1).data;
      let count = 0;
      for (let at = 0; at < row.length; at += 4) {
        count += row.slice(at, at + 4).join() === colour;
      }
      return count / canvas.width;
    };
    const first = 22 + 5;
    const before = share(canvases[0], wait, first);
    check(before > 0.6 && before < 0.75, "waits of the first member: " + before);
    check(share(canvases[0], combine, first) > 0.07, "its steps");
    check(share(canvases[0], wait, first + 44) === 0, "the last member waits for nobody");
    const box = canvases[0].getBoundingClientRect();
    const at = (part, top) => ({ clientX: box.left + 34 + (box.width - 42) * part, clientY: box.top + top, bubbles: true, cancelable: true, view: window });
    canvases[0].dispatchEvent(new MouseEvent("mousemove", at(0.3, first)));
    const tip = every(".tip").map((each) => each.textContent).join();
    check(tip.includes("member 0: waits for member 2") && tip.includes("70 µs") && tip.includes("in the step await"), "a wait under the pointer: " + tip);
    canvases[0].dispatchEvent(new MouseEvent("mousemove", at(0.95, first)));
    check(every(".tip")[0].textContent.includes("4 KiB, member 1"), "a step under the pointer");
    canvases[0].dispatchEvent(new MouseEvent("mouseleave"));
    check(every(".tip").length === 0, "the tip goes");
    // Rows of the third: the first member, its two in flight, the other member, its one.
    const inFlight = [22, 44, 66, 88, 110].map((top) => share(canvases[2], parts("--s4"), 5 + top) > 0);
    check(inFlight.join() === "false,true,true,false,true", "rows of what is in flight: " + inFlight);
    const third = canvases[2].getBoundingClientRect();
    const tipAt = (part, top) => {
      canvases[2].dispatchEvent(new MouseEvent("mousemove", { ...at(part, 0), clientY: third.top + top }));
      return every(".tip").map((each) => each.textContent).join();
    };
    check(tipAt(0.7, first).includes("member 0: waits for member 1"), "a wait for a request under the pointer");
    check(tipAt(0.7, first + 44).includes("member 0: allreduce") && tipAt(0.7, first + 44).includes("8 B, started 1"), "a request under the pointer");
    check(tipAt(0.95, first + 88).includes("member 1: barrier") || tipAt(0.895, first + 88).includes("member 1: barrier"), "the other's");
    canvases[2].dispatchEvent(new MouseEvent("mouseleave"));
    // At the end only the combining is left, in both pictures.
    for (let turn = 0; turn < 20; ++turn) {
      canvases[0].dispatchEvent(new WheelEvent("wheel", { ...at(0.97, first), deltaY: -200 }));
    }
    check(share(canvases[0], wait, first) === 0 && share(canvases[0], combine, first) > 0.9, "the wheel shows less time");
    check(share(canvases[1], combine, first) > 0.9, "all pictures move together");
    every("nav button").find((each) => each.textContent === "whole").click();
    await new Promise((resolve) => setTimeout(resolve, 500));
    check(Math.abs(share(canvases[0], wait, first) - before) < 0.01, "the whole again");
    const pressed = every("nav button[aria-pressed]")[0];
    const path = share(canvases[0], parts("--ink"), 22 + 44 + 11);
    pressed.click();
    const hidden = share(canvases[0], parts("--ink"), 22 + 44 + 11);
    check(path > 0.05 && hidden === 0, `the critical path is on the last member, and can be hidden: ${path}, ${hidden}`);
  } else {
    check(canvases.length === 0, "no pictures");
    check(document.querySelector(".missing").textContent.includes("charts are missing"), "it says that charts are missing");
  }
})().catch((error) => wrong.push(String(error))).finally(() => {
  const node = document.createElement("pre");
  node.id = "verdict";
  node.textContent = JSON.stringify({ wrong });
  document.body.append(node);
});
</script>"""


def main(command, folder, has_charts):
    browser = browser_found()
    if browser is None:
        print("no Chromium: skipped")
        return 77
    place = pathlib.Path(folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "late.jsonl").write_text(late(EVIL) + late("again") + started("flying"))
    tutti(command, "trace", place / "late.jsonl", "--html", place / "report.html")
    page = (place / "report.html").read_text()
    group = json.dumps(EVIL).replace("<", "\\u003c")
    wrong = checked(browser, place, page, CHECKS.replace("GROUP", group).replace("CHARTS", json.dumps(has_charts)))["wrong"]
    if has_charts:
        bare = CHECKS.replace("GROUP", group).replace("CHARTS", "false")
        wrong += [f"without charts: {each}" for each in checked(browser, place, without_library(page), bare)["wrong"]]
    (place / "narrow.html").write_text(NARROW)
    narrow = loaded(browser, place, "narrow.html")
    if narrow["wide"] > narrow["seen"]:
        wrong.append(f"{narrow['wide']} pixels wide where there are {narrow['seen']}")
    print(f"{len(page)} bytes; wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] == "1"))
