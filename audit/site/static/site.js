"use strict";
// Search and filters on the front page; zoom and focus in the dependency graph. The pages work
// without this file: every row is shown and every node is a link.

function listFilters() {
  const form = document.getElementById("filters");
  if (!form || !window.TWOFOLD) return;
  const fields = ["search", "paper", "verdict", "severity", "kind"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#rows li")];
  const shown = document.getElementById("shown");

  function apply() {
    const [words, paper, verdict, severity, kind] = fields.map((field) => field.value.trim());
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    TWOFOLD.forEach((claim, place) => {
      const fits =
        (!paper || claim.paper === paper) && (!verdict || claim.verdict === verdict) &&
        (!severity || claim.severity === severity) && (!kind || claim.kind === kind) &&
        wanted.every((word) => claim.text.includes(word));
      rows[place].hidden = !fits;
      count += fits;
    });
    shown.textContent = `${count} of ${rows.length} statements`;
  }

  function remember() {
    const kept = new URLSearchParams();
    fields.forEach((field) => field.value && kept.set(field.id, field.value));
    const hash = kept.toString();
    history.replaceState(null, "", hash ? `#${hash}` : "#");
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    fields.forEach((field) => { if (kept.has(field.id)) field.value = kept.get(field.id); });
    apply();
  }

  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  window.addEventListener("hashchange", recall);
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); fields[0].focus(); }
    if (event.key === "Escape" && document.activeElement === fields[0]) { fields[0].value = ""; apply(); remember(); }
  });
  recall();
}

function dependencyGraph() {
  const graph = document.getElementById("graph");
  if (!graph) return;
  const canvas = document.getElementById("canvas");
  const wide = Number(graph.dataset.width), high = Number(graph.dataset.height);
  const nodes = [...graph.querySelectorAll(".node")], edges = [...graph.querySelectorAll(".edge")];
  const field = document.getElementById("focus"), told = document.getElementById("focused");
  let scale = 1;

  function zoom(to) {
    scale = Math.min(3, Math.max(0.15, to));
    graph.style.width = `${wide * scale}px`;
    graph.style.height = `${high * scale}px`;
  }

  function chain(start, from, to) {
    const found = new Set([start]), open = [start];
    while (open.length) {
      const here = open.pop();
      edges.filter((edge) => edge.dataset[from] === here).forEach((edge) => {
        if (!found.has(edge.dataset[to])) { found.add(edge.dataset[to]); open.push(edge.dataset[to]); }
      });
    }
    return found;
  }

  function focus(id) {
    const node = nodes.find((n) => n.dataset.id === id);
    if (!node) return;
    const below = chain(id, "to", "from"), above = chain(id, "from", "to");
    const lit = (ends) => [below, above].some((side) => ends.every((end) => side.has(end)));
    graph.classList.add("focused");
    nodes.forEach((n) => {
      n.classList.toggle("lit", lit([n.dataset.id]));
      n.classList.toggle("centre", n === node);
    });
    edges.forEach((e) => e.classList.toggle("lit", lit([e.dataset.from, e.dataset.to])));
    told.textContent = `${id}: rests on ${below.size - 1}, ${above.size - 1} rest on it`;
    node.scrollIntoView({ block: "center", inline: "center" });
  }

  function showAll() {
    graph.classList.remove("focused");
    nodes.forEach((n) => n.classList.remove("centre"));
    field.value = "";
    told.textContent = "";
  }

  const fit = () => zoom(Math.min(1, (canvas.clientWidth - 4) / wide));
  document.querySelectorAll("[data-zoom]").forEach((button) =>
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "fit") fit();
      else zoom(scale * (button.dataset.zoom === "in" ? 1.25 : 0.8));
    }));
  field.addEventListener("input", () => focus(field.value.trim()));
  document.getElementById("unfocus").addEventListener("click", showAll);
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") zoom(scale * 1.25);
    if (event.key === "-") zoom(scale * 0.8);
    if (event.key === "0") fit();
    if (event.key === "Escape") showAll();
    if (event.key === "f" && document.activeElement.dataset.id) {
      field.value = document.activeElement.dataset.id;
      focus(field.value);
    }
  });
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (id) { field.value = id; focus(id); }
  };
  zoom(1);
  window.addEventListener("hashchange", follow);
  follow();
}

listFilters();
dependencyGraph();
