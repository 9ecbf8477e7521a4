"use strict";
// The dependency graph of a paper: zoom, the chain of one statement, and what a statement says when it
// is pointed at or reached by the keyboard. Without this file every node is a link.

function dependencyGraph(graph) {
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
    if (event.key === "f" && document.activeElement.dataset.id) {
      field.value = document.activeElement.dataset.id;
      focus(field.value);
    }
  });
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (nodes.some((n) => n.dataset.id === id)) { field.value = id; focus(id); }
  };
  zoom(1);
  window.addEventListener("hashchange", follow);
  follow();
  return { canvas, nodes, showAll };
}

function popups({ canvas, nodes, showAll }) {
  const popup = document.getElementById("popup");
  let owner = null, leaving = 0;

  function show(node) {
    clearTimeout(leaving);
    if (owner === node) return;
    hide();
    const entry = document.getElementById(`at-${node.dataset.id}`);
    if (!entry) return;
    const name = document.createElement(node.hasAttribute("href") ? "a" : "span");
    Object.assign(name, { textContent: node.dataset.id, tabIndex: -1, href: node.getAttribute("href") });
    popup.replaceChildren(name, ...[...entry.querySelectorAll(":scope > .judged, :scope > .told")].map((part) => part.cloneNode(true)));
    popup.querySelectorAll("[tabindex]").forEach((part) => part.removeAttribute("tabindex"));
    popup.hidden = false;
    place(node);
    node.setAttribute("aria-describedby", "popup");
    owner = node;
  }

  // Below the node where there is room, else above it; never beyond the sides of the window.
  function place(node) {
    const at = node.getBoundingClientRect(), room = document.documentElement;
    const high = popup.offsetHeight, below = at.bottom + high + 6 <= room.clientHeight;
    const left = Math.max(4, Math.min(at.left, room.clientWidth - popup.offsetWidth - 4));
    popup.style.left = `${left}px`;
    popup.style.top = `${below ? at.bottom + 2 : Math.max(4, at.top - high - 2)}px`;
  }

  function hide() {
    clearTimeout(leaving);
    popup.hidden = true;
    owner?.removeAttribute("aria-describedby");
    owner = null;
  }

  const soon = () => { clearTimeout(leaving); leaving = setTimeout(hide, 250); };
  nodes.forEach((node) => {
    node.addEventListener("pointerenter", () => show(node));
    node.addEventListener("pointerleave", soon);
    node.addEventListener("focus", () => show(node));
    node.addEventListener("blur", soon);
    // A finger or a click shows what the statement says, with the link to its page; Enter follows it.
    node.addEventListener("click", (event) => {
      if (event.detail && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); show(node); }
    });
  });
  popup.addEventListener("pointerenter", () => clearTimeout(leaving));
  popup.addEventListener("pointerleave", soon);
  popup.addEventListener("focusin", () => clearTimeout(leaving));
  popup.addEventListener("focusout", soon);
  const keep = () => owner && place(owner);
  canvas.addEventListener("scroll", keep, { passive: true });
  window.addEventListener("scroll", keep, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (owner) hide();
    else if (canvas.contains(document.activeElement)) showAll();
  });
}

// Beside the text on wide screens; above it, on narrow ones, the contents are folded.
function contents() {
  const list = document.getElementById("contents"), narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { if (list) list.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
}

// A link to a statement that is folded away unfolds it.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target?.closest("details:not([open])");
  if (folded) { folded.open = true; target.scrollIntoView(); }
}

const graph = document.getElementById("graph");
if (graph) popups(dependencyGraph(graph));
contents();
unfold();
window.addEventListener("hashchange", unfold);
