// Live updates and keys. Every page works without this file.
"use strict";
(() => {
  const main = document.getElementById("main");
  const status = document.getElementById("live");

  // A form that somebody is filling in must not be replaced under their hands.
  const busy = (part) => {
    const at = document.activeElement;
    if (part.contains(at) && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return true;
    return [...part.querySelectorAll("input[type=text], input:not([type]), textarea")].some((x) => x.value !== x.defaultValue);
  };

  // Keep the keyboard focus when a part is replaced: on the same link or button, or on the one in its place.
  const stops = (part) => [...part.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex]")];
  const says = (x) => x.tagName + (x.getAttribute("href") ?? x.getAttribute("aria-label") ?? x.textContent);
  const place = (part) => {
    const list = stops(part), at = list.indexOf(document.activeElement);
    if (at < 0) return () => {};
    const what = says(list[at]);
    return (other) => {
      const next = stops(other);
      const same = next.map((x, i) => [Math.abs(i - at), x]).filter(([, x]) => says(x) === what).sort((a, b) => a[0] - b[0]);
      (same[0]?.[1] ?? next[Math.min(at, next.length - 1)])?.focus({ preventScroll: true });
    };
  };

  // How a page fetches itself again: Tend then keeps what it has to say for the page that is opened next.
  const update = { headers: { Accept: "text/html", "X-Tend-Update": "1" }, redirect: "error" };

  // refresh fetches this page again and takes over the parts that differ.
  let running = false, again = false;
  const refresh = async () => {
    if (running) { again = true; return; }
    running = true;
    try {
      const answer = await fetch(location.href, update);
      if (!answer.ok) return;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of document.querySelectorAll("[data-part]")) {
        const other = next.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
        if (!other || other.outerHTML === part.outerHTML || busy(part)) continue;
        const open = [...part.querySelectorAll("details")].map((d) => d.open);
        const chosen = part.querySelector("tr[data-on]")?.dataset.agent;
        const refocus = place(part);
        part.replaceWith(other);
        [...other.querySelectorAll("details")].forEach((d, i) => { if (open[i]) d.open = true; });
        if (chosen) other.querySelector(`tr[data-agent="${CSS.escape(chosen)}"]`)?.setAttribute("data-on", "");
        other.querySelectorAll("[data-slider]").forEach(slider);
        refocus(other);
      }
      document.title = next.title;
      status.textContent = "Updated " + new Date().toLocaleTimeString();
    } catch {
      status.textContent = "No connection to Tend.";
    } finally {
      running = false;
      if (again) { again = false; soon(); }
    }
  };
  // A page nobody sees waits until somebody does; one that is seen is fetched every two seconds at most.
  let timer = 0, fetched = 0, missed = false;
  const soon = () => {
    if (missed = document.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(() => { fetched = Date.now(); refresh(); }, Math.max(200, fetched + 2000 - Date.now()));
  };

  if ("live" in document.body.dataset && "EventSource" in window) {
    const about = main.querySelector("[data-about]")?.dataset.about;
    const source = new EventSource("/events" + (about ? "?agent=" + encodeURIComponent(about) : ""));
    source.addEventListener("agent", soon);
    source.addEventListener("agents", soon);
    document.addEventListener("visibilitychange", () => { if (missed && !document.hidden) soon(); });
    let lost = false;
    source.addEventListener("open", () => { if (lost) { lost = false; soon(); } else status.textContent = "Live"; });
    source.addEventListener("error", () => { lost = true; status.textContent = "Reconnecting…"; });
    addEventListener("pagehide", () => source.close());
  }

  // A slider moves through a list of links; without script the links themselves do.
  const slider = (input) => {
    const links = [...document.querySelectorAll("[data-version]")].reverse();
    const label = document.getElementById(input.dataset.slider);
    input.hidden = false;
    input.addEventListener("input", () => { if (label) label.textContent = links[input.value]?.textContent ?? ""; });
    input.addEventListener("change", () => { const to = links[input.value]; if (to) location.href = to.href; });
  };
  document.querySelectorAll("[data-slider]").forEach(slider);

  // The rest of a fleet is searched page by page, in place: the best hits of all stay. Without script the link does the same.
  const goOn = document.getElementById("goon");
  goOn?.addEventListener("click", async (e) => {
    e.preventDefault();
    if (goOn.dataset.at) { delete goOn.dataset.at; return; }
    const hits = document.getElementById("hits"), said = document.getElementById("searched");
    goOn.dataset.at = "1";
    goOn.textContent = "Stop";
    while (goOn.dataset.at) {
      let next;
      try {
        const answer = await fetch(goOn.href, update);
        if (!answer.ok) throw new Error(answer.statusText);
        next = new DOMParser().parseFromString(await answer.text(), "text/html");
      } catch {
        status.textContent = "No connection to Tend.";
        break;
      }
      const all = [...hits.querySelectorAll("article"), ...next.querySelectorAll("#hits article")].sort((a, b) => b.dataset.score - a.dataset.score);
      if (all.length) hits.replaceChildren(...all.slice(0, 30));
      const { searched, total } = next.getElementById("searched").dataset;
      said.textContent = `Searched ${Number(searched).toLocaleString("en")} of ${Number(total).toLocaleString("en")} agents. ` +
        (all.length > 30 ? "The best 30 hits are shown." : all.length + (all.length === 1 ? " hit." : " hits."));
      const more = next.getElementById("goon");
      if (!more) { goOn.remove(); main.focus(); return; }
      goOn.href = more.href;
    }
    delete goOn.dataset.at;
    goOn.textContent = "Search the next agents";
  });

  // Keys. The page /help lists them.
  const places = { f: "/", i: "/inbox", s: "/search", j: "/jobs", h: "/help" };
  let going = false;
  const rows = () => [...main.querySelectorAll("tr[data-agent], [data-row]")];
  const move = (step) => {
    const list = rows();
    if (!list.length) return;
    const at = list.findIndex((r) => r.hasAttribute("data-on"));
    list[at]?.removeAttribute("data-on");
    const to = list[Math.min(list.length - 1, Math.max(0, at + step))];
    to.setAttribute("data-on", "");
    (to.querySelector("a, button, summary") ?? to).focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  };
  const page = (which) => main.querySelector(`.pager a[rel=${which}]`)?.click();
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape" && document.activeElement !== document.body) { document.activeElement.blur(); return; }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && !/^(checkbox|radio)$/.test(e.target.type)) return;
    if (going) { going = false; if (places[e.key]) { location.href = places[e.key]; e.preventDefault(); } return; }
    switch (e.key) {
      case "g": going = true; setTimeout(() => { going = false; }, 1500); break;
      case "j": move(1); break;
      case "k": move(-1); break;
      case "n": page("next"); break;
      case "p": page("prev"); break;
      case "u": main.querySelector(".crumbs a:last-of-type")?.click(); break;
      case "?": location.href = "/help"; break;
      case "/": {
        const box = main.querySelector("input[type=search]");
        if (box) box.focus(); else location.href = "/search";
        break;
      }
      default: return;
    }
    e.preventDefault();
  });
})();
