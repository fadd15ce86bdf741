(() => {
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const families = [...new Set(data.cases.map(c => c.family))].sort();
const hidden = new Set();  // families
let sort = {key: 'error', down: true};
let shownMetric = '';
const opened = new Set();  // names of cases

// Neighbours in the list lie far apart on the colour circle.
const colour = family => {
  const i = families.indexOf(family);
  return `hsl(${(i * 137.508) % 360} ${65 + 15 * (i % 2)}% ${i % 3 === 0 ? 42 : i % 3 === 1 ? 55 : 48}%)`;
};

const stallColours = {
  selected: '#3a8f4f', not_selected: '#8fcf9f', wait: '#b9b4a2', long_scoreboard: '#2f6fde', short_scoreboard: '#7fb0f5',
  math_pipe_throttle: '#d98a1f', mio_throttle: '#7a4fd0', lg_throttle: '#b18cf0', tex_throttle: '#d5b8ff',
  dispatch_stall: '#6b7480', imc_miss: '#0f9c9c', no_instruction: '#d6453d', branch_resolving: '#e88ac0', barrier: '#e3c12f',
  membar: '#8a5a33', sleeping: '#a6b0ba', drain: '#4d5f8a', misc: '#999999', gmma: '#3fc8c8',
};
const stallOf = metric => {
  const found = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$/.exec(metric);
  return found ? found[1] : null;
};
const stallPlaces = data.metrics.map((metric, place) => ({place, reason: stallOf(metric)})).filter(s => s.reason)
  .sort((a, b) => Object.keys(stallColours).indexOf(a.reason) - Object.keys(stallColours).indexOf(b.reason));

const element = (tag, text, className) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};
const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const few = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 4});
const number = v => v === undefined || v === null ? '' : Math.abs(v) >= 1000 ? whole.format(v) : few.format(v);
const signed = v => v === undefined || v === null ? '' : `${v > 0 ? '+' : v < 0 ? '−' : ''}${(100 * Math.abs(v)).toFixed(1)} %`;
const percent = v => v === undefined || v === null ? '' : `${(100 * v).toFixed(1)} %`;
const counterError = pair => !pair ? null : pair[0] === pair[1] ? 0 : pair[1] === 0 ? null : (pair[0] - pair[1]) / pair[1];

function table(target, headings, rows) {
  const head = element('thead'), body = element('tbody'), line = element('tr');
  headings.forEach((heading, i) => line.append(element('th', heading, i === 0 ? 'text' : '')));
  head.append(line);
  for (const row of rows) {
    const tr = element('tr');
    row.forEach((cell, i) => tr.append(element('td', cell, i === 0 ? 'text' : '')));
    body.append(tr);
  }
  target.replaceChildren(head, body);
}

// Statistics, as the program worked them out.
const statistics = g => [String(g.cases), percent(g.mean), percent(g.median), percent(g.p90), percent(g.worst), signed(g.bias),
  ...[g.pearson, g.pearson_log, g.rank].map(r => r === null ? '' : r.toFixed(3))];
const statisticsHead = ['cases', 'mean |error|', 'median', '90th percentile', 'worst', 'bias', 'Pearson', 'Pearson (log)', 'rank'];
const halfNames = {both: 'all', open: 'open', held_out: 'held out'};
table(byId('short'), ['half', ...statisticsHead],
  data.groups.filter(g => g.family === 'all').map(g => [halfNames[g.half], ...statistics(g)]));
table(byId('groups'), ['family', 'half', ...statisticsHead],
  data.groups.filter(g => g.family !== 'all').map(g => [g.half === 'both' ? g.family : '', halfNames[g.half], ...statistics(g)]));
table(byId('counters'), ['counter', 'cases', 'mean |error|', 'within 1 %', 'within 3 %', 'within 10 %'],
  data.counters.map(c => [c.metric, String(c.cases), percent(c.mean), percent(c.within1), percent(c.within3), percent(c.within10)]));
byId('subject').textContent =
  `${data.device}, driver ${data.driver}, recorded ${data.recorded}; calibration ${data.calibration}; ${data.cases.length} cases`;

// What the controls leave.
function filtered() {
  const text = byId('text').value.trim().toLowerCase();
  const half = byId('half').value;
  return data.cases.filter(c => !hidden.has(c.family) && c.name.toLowerCase().includes(text) && (!half || c.half === half));
}

const legend = byId('families');
for (const family of families) {
  const button = element('button');
  const swatch = element('span', '', 'swatch');
  swatch.style.background = colour(family);
  button.append(swatch, family);
  button.type = 'button';
  button.setAttribute('aria-pressed', 'true');
  button.addEventListener('click', event => {
    // With a modifier key: this family alone, or all again.
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      const alone = families.every(f => hidden.has(f) === (f !== family));
      hidden.clear();
      if (!alone) families.filter(f => f !== family).forEach(f => hidden.add(f));
    } else if (!hidden.delete(family)) {
      hidden.add(family);
    }
    update();
  });
  button.dataset.family = family;
  button.title = 'Click: on or off. Shift-click: this family alone.';
  legend.append(button);
}

// The scatter plot. Both axes have the same bounds.
const drawn = data.cases.filter(c => !c.failure);
const all = drawn.flatMap(c => [c.predicted, c.measured]).filter(v => v > 0);
const bounds = all.length ? [Math.min(...all) / 1.3, Math.max(...all) * 1.3] : [1, 10];
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let visible = new Set(drawn);

function drawBands(u) {
  const {ctx} = u;
  const {left, top, width, height} = u.bbox;
  const at = (x, y) => [u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  const [low, high] = [bounds[0] / 4, bounds[1] * 4];
  ctx.beginPath();
  ctx.moveTo(...at(low, low * 2));
  ctx.lineTo(...at(high, high * 2));
  ctx.lineTo(...at(high, high / 2));
  ctx.lineTo(...at(low, low / 2));
  ctx.closePath();
  ctx.fillStyle = style('--band');
  ctx.fill();
  ctx.strokeStyle = style('--faint');
  ctx.lineWidth = devicePixelRatio;
  for (const [factor, dash] of [[1, []], [2, [5, 5]], [0.5, [5, 5]]]) {
    ctx.setLineDash(dash.map(d => d * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(...at(low, low * factor));
    ctx.lineTo(...at(high, high * factor));
    ctx.stroke();
  }
  ctx.restore();
}

function drawFamily(u, seriesIndex) {
  const {ctx} = u;
  const family = families[seriesIndex - 1];
  const radius = 3.6 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = colour(family);
  ctx.lineWidth = 1.8 * devicePixelRatio;
  for (const c of drawn) {
    if (c.family !== family || !visible.has(c)) continue;
    ctx.beginPath();
    ctx.arc(u.valToPos(c.measured, 'x', true), u.valToPos(c.predicted, 'y', true), radius, 0, 2 * Math.PI);
    if (c.half === 'open') ctx.fill(); else ctx.stroke();
  }
  ctx.restore();
}

// Ones, twos and fives.
function marks(u, index, low, high) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    found.push(...[1, 2, 5].map(digit => digit * power).filter(v => v >= low && v <= high));
  }
  return found;
}
const axis = (label, size) => ({label, stroke: () => style('--ink'), grid: {stroke: () => style('--line'), width: 1},
  ticks: {stroke: () => style('--line')}, size, labelSize: 24, splits: marks, filter: (u, splits) => splits,
  values: (u, splits) => splits.map(v => whole.format(v))});
const plotWidth = () => Math.max(320, byId('scatter').clientWidth);
const plotHeight = () => Math.min(620, Math.max(320, Math.round(plotWidth() * 0.62)));
const plot = new uPlot({
  mode: 2,
  width: plotWidth(),
  height: plotHeight(),
  legend: {show: false},
  cursor: {show: false},
  scales: {x: {time: false, distr: 3, range: () => bounds}, y: {distr: 3, range: () => bounds}},
  axes: [axis('measured cycles', 34), axis('predicted cycles', 72)],
  hooks: {drawAxes: [drawBands]},
  series: [{}, ...families.map(family => ({
    label: family, stroke: colour(family), paths: drawFamily,
    facets: [{scale: 'x', auto: false}, {scale: 'y', auto: false}]}))],
}, [null, ...families.map(family => {
  const members = drawn.filter(c => c.family === family);
  return [members.map(c => c.measured), members.map(c => c.predicted)];
})], byId('scatter'));

function nearest(event) {
  const box = plot.over.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let best = null, least = 14 * 14;
  for (const c of visible) {
    const distance = (plot.valToPos(c.measured, 'x') - x) ** 2 + (plot.valToPos(c.predicted, 'y') - y) ** 2;
    if (distance < least) [best, least] = [c, distance];
  }
  return best;
}
plot.over.addEventListener('mousemove', event => {
  const found = nearest(event);
  const tip = byId('tip');
  tip.hidden = !found;
  plot.over.style.cursor = found ? 'pointer' : '';
  if (!found) return;
  tip.replaceChildren(element('strong', found.name), element('div', `${found.family}, ${found.half}`),
    element('div', `predicted ${whole.format(found.predicted)}, measured ${whole.format(found.measured)}`),
    element('div', `error ${signed(found.error)}, spread ${percent(found.spread)}`));
  const box = tip.parentElement.getBoundingClientRect();
  const left = event.clientX - box.left + 14;
  tip.style.left = `${Math.min(left, box.width - tip.offsetWidth - 4)}px`;
  tip.style.top = `${event.clientY - box.top + 14}px`;
});
plot.over.addEventListener('mouseleave', () => { byId('tip').hidden = true; });
plot.over.addEventListener('click', event => {
  const found = nearest(event);
  if (!found) return;
  opened.add(found.name);
  drawCases();
  document.querySelector(`#cases tr.case[data-name="${CSS.escape(found.name)}"]`).scrollIntoView({block: 'center'});
});
addEventListener('resize', () => plot.setSize({width: plotWidth(), height: plotHeight()}));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw());

// Stall stacks: cycles that a warp waits for each instruction, by reason.
const stack = (c, which) => stallPlaces.map(s => ({reason: s.reason, value: c.counters[s.place] ? c.counters[s.place][which] : 0}));
const total = entries => entries.reduce((sum, e) => sum + e.value, 0);
function bar(entries, largest) {
  const made = element('span', '', 'bar');
  const sum = total(entries);
  made.style.width = `${largest ? 100 * sum / largest : 0}%`;
  let at = 0;
  const stops = entries.filter(e => e.value > 0).map(e => {
    const from = at;
    at += 100 * e.value / sum;
    return `${stallColours[e.reason] || '#999'} ${from.toFixed(2)}% ${at.toFixed(2)}%`;
  });
  if (stops.length) made.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  return made;
}
const reasonsPresent = stallPlaces.filter(s => drawn.some(c => c.counters[s.place] && (c.counters[s.place][0] > 0 || c.counters[s.place][1] > 0)));
byId('stall-legend').append(element('span', 'Stalls, predicted above measured, warp cycles per instruction:', 'key'),
  ...reasonsPresent.map(s => {
    const key = element('span', '', 'key');
    const swatch = element('span', '', 'swatch');
    swatch.style.background = stallColours[s.reason] || '#999';
    key.append(swatch, s.reason);
    return key;
  }));

// The table of cases.
const metricChoice = byId('metric');
metricChoice.append(new Option('none', ''), ...data.metrics.map(m => new Option(m, m)));
const stallTotal = (c, which) => c.failure ? 0 : total(stack(c, which));
function columns() {
  const list = [
    {key: 'name', title: 'case', text: true, value: c => c.name},
    {key: 'family', title: 'family', text: true, value: c => c.family},
    {key: 'half', title: 'half', text: true, value: c => c.half},
    {key: 'predicted', title: 'predicted', value: c => c.predicted, show: number},
    {key: 'measured', title: 'measured', value: c => c.measured, show: number},
    // Failures are the worst.
    {key: 'error', title: 'error', value: c => c.failure ? Infinity : Math.abs(c.error), show: (v, c) => signed(c.error)},
    {key: 'spread', title: 'spread', value: c => c.spread, show: percent},
  ];
  const place = data.metrics.indexOf(shownMetric);
  if (place >= 0) {
    const pair = c => c.counters && c.counters[place];
    list.push({key: 'counter predicted', title: 'counter predicted', value: c => pair(c)?.[0], show: number},
      {key: 'counter measured', title: 'measured', value: c => pair(c)?.[1], show: number},
      {key: 'counter error', title: 'error', value: c => counterError(pair(c)) === null ? undefined : Math.abs(counterError(pair(c))),
        show: (v, c) => signed(counterError(pair(c)))});
  }
  list.push({key: 'stalls', title: 'stalls', text: true, value: c => stallTotal(c, 1), stack: true});
  return list;
}

function details(c, width) {
  const row = element('tr', undefined, 'details');
  const cell = element('td');
  cell.colSpan = width;
  const stacks = element('div', undefined, 'stacks');
  const largest = Math.max(stallTotal(c, 0), stallTotal(c, 1));
  for (const [title, which] of [['Predicted', 0], ['Measured', 1]]) {
    const entries = stack(c, which);
    const part = element('div');
    part.append(element('h3', `${title}: ${number(total(entries))} warp cycles per instruction`));
    const track = element('div', undefined, 'track');
    track.append(bar(entries, largest));
    const list = element('table');
    table(list, ['reason', 'cycles', 'share'], entries.filter(e => e.value > 0).sort((a, b) => b.value - a.value)
      .map(e => [e.reason, number(e.value), percent(e.value / total(entries))]));
    part.append(track, list);
    stacks.append(part);
  }
  const scroll = element('div', undefined, 'scroll');
  const list = element('table', undefined, 'counters');
  table(list, ['counter', 'predicted', 'measured', 'error', 'spread'], data.metrics.map((metric, place) => ({metric, pair: c.counters[place]}))
    .filter(e => e.pair && (e.pair[0] !== 0 || e.pair[1] !== 0))
    .map(e => [e.metric, number(e.pair[0]), number(e.pair[1]), counterError(e.pair) === null ? '' : signed(counterError(e.pair)),
      e.pair[2] === null ? 'once' : percent(e.pair[2])]));
  scroll.append(list);
  cell.append(stacks, scroll);
  row.append(cell);
  return row;
}

function drawHead() {
  const line = element('tr');
  for (const column of columns()) {
    const th = element('th', undefined, column.text ? 'text' : '');
    const button = element('button', column.title);
    button.type = 'button';
    button.dataset.key = column.key;
    button.addEventListener('click', () => {
      sort = {key: column.key, down: sort.key === column.key ? !sort.down : !column.text};
      drawHead();
      drawCases();
    });
    if (sort.key === column.key) th.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
    th.append(button);
    line.append(th);
  }
  document.querySelector('#cases > thead').replaceChildren(line);
}

function drawCases() {
  const list = columns();
  const by = list.find(column => column.key === sort.key) || list[5];
  const sign = sort.down ? -1 : 1;
  // What has no value comes last, whichever way the others stand.
  const rows = filtered().sort((a, b) => {
    const [x, y] = [by.value(a), by.value(b)];
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    return x < y ? -sign : x > y ? sign : a.name < b.name ? -1 : 1;
  });
  const made = [];
  for (const c of rows) {
    const tr = element('tr', undefined, 'case');
    tr.dataset.name = c.name;
    for (const column of list) {
      const td = element('td', undefined, column.text ? 'text' : '');
      if (column.key === 'name') {
        const button = element('button', c.name);
        button.type = 'button';
        if (!c.failure) button.setAttribute('aria-expanded', String(opened.has(c.name)));
        td.append(button);
      } else if (column.stack) {
        td.className = 'bars';
        if (!c.failure) {
          const largest = Math.max(stallTotal(c, 0), stallTotal(c, 1));
          td.append(bar(stack(c, 0), largest), bar(stack(c, 1), largest));
          td.title = `predicted ${number(stallTotal(c, 0))}, measured ${number(stallTotal(c, 1))} warp cycles per instruction`;
        }
      } else if (column.key === 'error' && c.failure) {
        td.textContent = 'failed';
        td.className = 'failed';
        td.title = c.failure;
      } else {
        const value = column.value(c);
        td.textContent = column.show ? column.show(value, c) : value;
        if (column.key === 'error' && Math.abs(c.error) > 0.25) td.classList.add('over');
        if (column.key === 'spread' && c.unsteady) td.append(element('span', 'unsteady', 'unsteady'));
      }
      tr.append(td);
    }
    tr.addEventListener('click', () => {
      if (c.failure) return;
      if (!opened.delete(c.name)) opened.add(c.name);
      drawCases();
      document.querySelector(`#cases tr.case[data-name="${CSS.escape(c.name)}"] button`).focus({preventScroll: true});
    });
    made.push(tr);
    if (opened.has(c.name) && !c.failure) {
      tr.classList.add('open');
      made.push(details(c, list.length));
    }
  }
  document.querySelector('#cases > tbody').replaceChildren(...made);
}

function update() {
  const rows = filtered();
  visible = new Set(rows.filter(c => !c.failure));
  byId('shown').textContent = `${rows.length} of ${data.cases.length} cases`;
  for (const button of legend.children) button.setAttribute('aria-pressed', String(!hidden.has(button.dataset.family)));
  plot.redraw(false);
  drawCases();
}

byId('text').addEventListener('input', update);
byId('half').addEventListener('change', update);
metricChoice.addEventListener('change', () => {
  shownMetric = metricChoice.value;
  if (!columns().some(column => column.key === sort.key)) sort = {key: 'error', down: true};
  drawHead();
  drawCases();
});

drawHead();
update();
// For whoever looks at the page by script: the plot, and the cases that are drawn in it.
window.validation = {plot, drawn: () => [...visible]};
})();
