"use strict";
// Search and filters on the front page. Without this file every row is there, folded.

(() => {
  const form = document.getElementById("filters");
  const fields = ["search", "paper", "verdict", "severity", "kind"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#rows > li")];
  const all = document.getElementById("all"), shown = document.getElementById("shown");

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
    all.open = fields.some((field) => field.value);
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
    if (fields.some((field) => field.value)) apply();
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
})();
