// Draws charts and shows times in the operator's zone, else the reader's own. Everything else works without it.
"use strict";
(() => {
  const colours = ["--one", "--two", "--three", "--four"];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const language = navigator.language.startsWith(document.documentElement.lang) ? navigator.language : document.documentElement.lang;
  const drawn = new Map();
  const WHOLE = [1, 2, 5].flatMap((step) => [...Array(10).keys()].map((power) => step * 10 ** power)).sort((one, other) => one - other);

  const [millisecond, second, minute, hour] = document.documentElement.dataset.units.split(" ");
  const digits = (value, maximumSignificantDigits = 3) => value.toLocaleString(language, { maximumSignificantDigits });
  const duration = (ms) =>
    ms >= 3600000 ? `${digits(ms / 3600000)} ${hour}`
    : ms >= 60000 ? `${digits(ms / 60000)} ${minute}`
    : ms >= 1000 ? `${digits(ms / 1000)} ${second}`
    : `${digits(ms)} ${millisecond}`;
  const shown = {
    percent: (value) => document.documentElement.dataset.percent.replace("{value}", digits(value * 100, 4)),
    ms: duration,
    ratio: (value) => digits(value),
    number: (value) => value.toLocaleString(language),
  };

  const timeZone = document.documentElement.dataset.zone || undefined;
  const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone });
  const calendarDay = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }); // a day without a time is the same everywhere
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", timeZone });
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone });

  function draw(place) {
    const chart = JSON.parse(place.dataset.chart);
    const show = shown[chart.unit];
    const axis = { stroke: css("--soft"), grid: { stroke: css("--grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const names = Object.keys(chart.series);
    const margin = (chart.times[1] - chart.times[0]) * 0.6; // so that the first and the last bar are whole
    const stacks = chart.form === "bars" && names.length > 1;
    // Bars of several series stand on one another: each is drawn as high as those below it and itself, the highest first.
    const height = (index) => chart.times.map((_, at) => names.slice(index).reduce((sum, name) => sum + (chart.series[name][at] ?? 0), 0));
    const rows = names.map((name, index) => (stacks ? height(index) : chart.series[name]));
    const long = chart.times.at(-1) - chart.times[0] > 2 * 86400;
    const options = {
      width: Math.max(place.clientWidth, 120),
      height: 206,
      cursor: { y: false, points: { size: 7 } },
      legend: { live: true },
      scales: { x: { range: (_, low, high) => (chart.form === "bars" ? [low - margin, high + margin] : [low, high]) }, y: { range: (_, low, high) => [0, chart.unit === "percent" ? 1 : high > 0 ? high * 1.12 : 1] } },
      axes: [
        { ...axis, space: 64, values: (_, ticks) => ticks.map((at) => (long ? day : clock).format(at * 1000)) },
        { ...axis, size: 62, incrs: chart.unit === "number" ? WHOLE : undefined, values: (_, ticks) => ticks.map((value) => (value == null ? "" : show(value))) },
      ],
      series: [
        { label: "time", value: (_, at) => (at == null ? "" : moment.format(at * 1000)) },
        ...names.map((name, place) => {
          const colour = css(colours[place]);
          const bars = chart.form === "bars";
          return {
            label: chart.labels[name],
            stroke: colour,
            width: bars ? 0 : 2,
            dash: place === 1 ? [6, 3] : place === 2 ? [2, 3] : undefined,
            fill: bars ? colour : place === 0 && names.length === 1 ? colour + "22" : undefined,
            paths: bars ? uPlot.paths.bars({ size: [0.72, 26], radius: 0.25 }) : undefined,
            points: { show: !bars && chart.series[name].filter((value) => value != null).length < 40, size: 5, fill: colour },
            spanGaps: true,
            value: (_, value, series, at) => (value == null ? "–" : show(stacks && at != null ? chart.series[name][at] ?? 0 : value)),
          };
        }),
      ],
    };
    place.replaceChildren();
    drawn.set(place, new uPlot(options, [chart.times, ...rows], place));
  }

  const resized = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      const width = Math.max(target.clientWidth, 120);
      const plot = drawn.get(target);
      if (plot && plot.width !== width) plot.setSize({ width, height: plot.height });
    }
  });

  function start(within) {
    for (const [place, plot] of drawn) {
      if (!place.isConnected) { plot.destroy(); resized.unobserve(place); drawn.delete(place); }
    }
    for (const place of within.querySelectorAll("[data-chart]")) { draw(place); resized.observe(place); }
    for (const time of within.querySelectorAll("time[data-seconds]")) time.textContent = moment.format(time.dataset.seconds * 1000);
    for (const time of within.querySelectorAll("time[datetime]")) time.textContent = moment.format(new Date(time.dateTime));
    for (const time of within.querySelectorAll("time[data-day]")) time.textContent = (time.dateTime.length > 10 ? date : calendarDay).format(new Date(time.dateTime));
    for (const input of within.querySelectorAll("input.copy")) input.addEventListener("focus", () => input.select());
  }

  // While nobody looks, or somebody reads the numbers under a chart, the board stays as it is; so does the activity.
  const pause = document.getElementById("pause");
  pause?.addEventListener("click", () => {
    for (const word of pause.children) word.hidden = !word.hidden;
    document.getElementById("is-live").hidden = isPaused();
  });
  const isPaused = () => pause?.firstElementChild.hidden || document.getElementById("feed")?.contains(document.activeElement);
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id === "live" && (document.hidden || isPaused())) event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id === "board" && (document.hidden || event.target.querySelector("details[open]") || event.target.contains(document.activeElement))) event.preventDefault();
  });
  document.addEventListener("htmx:afterSettle", (event) => start(event.target));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const place of drawn.keys()) draw(place); });
  document.documentElement.classList.add("scripted");
  start(document);
})();
