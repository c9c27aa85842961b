// Draws who is related to whom in a place. The table under it says the same, and is there without this too.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MANY = 40; // people; names that would cover others are shown when somebody points at them
  const LONGEST = 18; // characters of a name
  const EDGE = 34;

  function make(name, parent, attributes, text) {
    const element = parent.appendChild(document.createElementNS(SVG, name));
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  }

  function arrange(people, links) {
    const simulation = d3.forceSimulation(people)
      .force("link", d3.forceLink(links).id((person) => person.id).distance(70))
      .force("apart", d3.forceManyBody().strength(people.length > MANY ? -60 : -240))
      .force("room", d3.forceCollide(people.length > MANY ? 12 : 30))
      .force("x", d3.forceX().strength(0.08))
      .force("y", d3.forceY().strength(0.11))
      .stop();
    simulation.tick(300);
  }

  // Positions from 0 to 1: the picture is stretched to its place, its words are not.
  function scale(people) {
    for (const axis of ["x", "y"]) {
      const values = people.map((person) => person[axis]);
      const low = Math.min(...values);
      const span = Math.max(...values) - low;
      for (const person of people) person[axis] = span > 1 ? (person[axis] - low) / span : 0.5;
    }
  }

  function draw(figure, people, links) {
    const width = Math.min(Math.max(figure.clientWidth, 220), 220 + people.length * 70);
    const height = Math.min(Math.max(200, 120 + people.length * 14), 620);
    const x = (person) => EDGE + person.x * (width - 2 * EDGE);
    const y = (person) => 18 + person.y * (height - 54);
    figure.replaceChildren();
    const svg = make("svg", figure, { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const lines = links.map((link) => {
      const line = make("line", svg, { x1: x(link.source), y1: y(link.source), x2: x(link.target), y2: y(link.target) });
      make("title", line, {}, `${link.source.name} – ${link.target.name}: ${link.label}`);
      return line;
    });
    if (links.length <= MANY && width > 600) {
      for (const link of links) {
        make("text", svg, { class: "what", x: (x(link.source) + x(link.target)) / 2, y: (y(link.source) + y(link.target)) / 2 - 5 }, link.label);
      }
    }
    const taken = [];
    for (const person of [...people].sort((one, other) => other.count - one.count)) {
      const group = make("g", svg, { class: "person" });
      make("circle", group, { cx: x(person), cy: y(person), r: Math.min((people.length > MANY ? 3 : 6) + person.count, 12) });
      const words = person.name.length > LONGEST ? person.name.slice(0, LONGEST) + "…" : person.name;
      const half = words.length * 4.3;
      const middle = Math.min(Math.max(x(person), half), width - half);
      make("text", group, { x: middle, y: y(person) + 28, "text-anchor": "middle" }, words);
      const box = [middle - half, y(person) + 14, middle + half, y(person) + 32];
      const isFree = taken.every((other) => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]);
      if (isFree) taken.push(box);
      else group.classList.add("unnamed");
      make("title", group, {}, person.name);
      const show = (on) => {
        group.classList.toggle("near", on);
        links.forEach((link, at) => lines[at].classList.toggle("near", on && (link.source === person || link.target === person)));
      };
      group.addEventListener("pointerenter", () => show(true));
      group.addEventListener("pointerleave", () => show(false));
      group.addEventListener("click", () => location.assign(`/dashboard/people/${person.id}`));
    }
  }

  for (const figure of document.querySelectorAll("[data-graph]")) {
    const { people, links } = JSON.parse(figure.dataset.graph);
    for (const person of people) person.count = links.filter((link) => link.source === person.id || link.target === person.id).length;
    arrange(people, links);
    scale(people);
    let drawn = 0;
    new ResizeObserver(() => {
      if (figure.clientWidth !== drawn) {
        drawn = figure.clientWidth;
        draw(figure, people, links);
      }
    }).observe(figure);
  }
})();
