// Panels of figures: our numbers with their intervals, and the paper's numbers as marks.

const PLOT = {width: 440, height: 270, left: 54, right: 12, top: 12, bottom: 40};
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 2', '10 4'];
const MARKERS = [
  'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0',
  'M-3.5,-3.5h7v7h-7z',
  'M0,-4.5L4.5,3.5H-4.5z',
  'M0,-5L5,0L0,5L-5,0z',
  'M0,4.5L4.5,-3.5H-4.5z',
  'M-4,-1.5H-1.5V-4H1.5V-1.5H4V1.5H1.5V4H-1.5V1.5H-4z',
  'M0,-5L1.3,-1.5L5,-1.5L2,1L3,4.6L0,2.4L-3,4.6L-2,1L-5,-1.5L-1.3,-1.5z',
];
const PAPER_MARK = 'M0,-5.5L5.5,0L0,5.5L-5.5,0z';

const COLOURS = 8;

function colourOf(number) {
  return `var(--s${(number % COLOURS) + 1})`;
}

function marker(number, attributes) {
  return svg('path', {d: MARKERS[number % MARKERS.length], fill: colourOf(number), ...attributes});
}

function tickText(tick) {
  return Number(tick.toPrecision(3)).toLocaleString('en', tick >= 1e5 ? {notation: 'compact'} : {});
}

// A percentile is at 1 / its share of longer calls: p99 at 100.
function xText(panel, x) {
  return panel.axis === 'percentile' ? `p${100 - 100 / x}` : x.toLocaleString('en');
}

function linearTicks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const ticks = [];
  for (let n = Math.ceil(low / step); n * step <= high * 1.0001; n++) ticks.push(n * step);
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const n of [1, 2, 5]) ticks.push(n * 10 ** power);
  const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  return inside.length > 8 ? inside.filter((tick) => Number.isInteger(Math.log10(tick))) : inside;
}

// Log axes are drawn where values span more than a decade, and then in all panels of the figure.
function spansDecade(panel) {
  const values = panel.series
    .flatMap((series) => series.points.flatMap((point) => [point.value, point.paper]))
    .filter((value) => value !== null);
  return (
    values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 12 * Math.min(...values)
  );
}

// The axis spans the values and the paper's marks. An interval that is much wider is cut, so that
// it does not flatten the rest.
function makeY(panel) {
  const values = [],
    ends = [];
  for (const series of panel.series)
    for (const point of series.points) {
      if (point.value !== null) {
        values.push(point.value);
        ends.push(
          Math.max(point.low ?? point.value, point.value / 2),
          Math.min(point.high ?? point.value, 1.5 * point.value),
        );
      }
      if (point.paper !== null) values.push(point.paper);
    }
  if (values.length === 0) return null;
  const all = [...values, ...ends];
  const least = Math.min(...all),
    most = Math.max(...all);
  const isLog = panel.isLog && Math.min(...values) > 0;
  const low = isLog ? least / 1.15 : Math.min(0, least),
    high = isLog ? most * 1.15 : most * 1.05;
  const scale = isLog ? Math.log : (value) => value;
  const inner = PLOT.height - PLOT.top - PLOT.bottom;
  const at = (value) => {
    const share =
      (scale(Math.min(Math.max(value, low), high)) - scale(low)) / (scale(high) - scale(low));
    return PLOT.height - PLOT.bottom - share * inner;
  };
  return {isLog, low, high, at, ticks: isLog ? logTicks(low, high) : linearTicks(low, high)};
}

// Numbers along x keep their distances, on a log axis if they span a factor of eight. Bars stand in
// groups with equal distances.
function makeX(panel) {
  const inner = PLOT.width - PLOT.left - PLOT.right,
    n = panel.xs.length;
  if (panel.isBars || n < 2) {
    const step = inner / n;
    return {step, at: (i) => PLOT.left + (i + 0.5) * step};
  }
  const isLog = panel.xs[0] > 0 && panel.xs[n - 1] >= 8 * panel.xs[0];
  const scale = (x) => (isLog ? Math.log(x) : x);
  const span = scale(panel.xs[n - 1]) - scale(panel.xs[0]),
    pad = 18;
  return {
    step: 0,
    at: (i) =>
      PLOT.left + pad + ((scale(panel.xs[i]) - scale(panel.xs[0])) / span) * (inner - 2 * pad),
  };
}

function drawAxes(panel, x, y) {
  const bottom = PLOT.height - PLOT.bottom,
    right = PLOT.width - PLOT.right;
  const parts = [];
  for (const tick of y.ticks) {
    parts.push(
      svg('line', {class: 'grid', x1: PLOT.left, x2: right, y1: y.at(tick), y2: y.at(tick)}),
    );
    parts.push(
      svg('text', {x: PLOT.left - 6, y: y.at(tick) + 4, 'text-anchor': 'end'}, tickText(tick)),
    );
  }
  let free = -Infinity;
  panel.xs.forEach((value, i) => {
    const text = xText(panel, value);
    if (x.at(i) - 4 * text.length < free) return;
    free = x.at(i) + 4 * text.length;
    parts.push(svg('text', {x: x.at(i), y: bottom + 15, 'text-anchor': 'middle'}, text));
  });
  parts.push(svg('line', {class: 'axis', x1: PLOT.left, x2: right, y1: bottom, y2: bottom}));
  parts.push(
    svg(
      'text',
      {
        class: 'axis-title',
        x: (PLOT.left + right) / 2,
        y: PLOT.height - 6,
        'text-anchor': 'middle',
      },
      panel.axis,
    ),
  );
  return parts;
}

function drawInterval(point, at, y, colour) {
  if (point.low === null || point.high === null || point.value === null) return [];
  const top = y.at(point.high),
    bottom = y.at(point.low),
    cut = point.high > y.high;
  return [
    svg('path', {
      class: 'interval',
      stroke: colour,
      d: `M${at - 2.5},${bottom}h5M${at},${bottom}V${top}${cut ? '' : 'm-2.5,0h5'}`,
    }),
    cut &&
      svg('path', {
        fill: colour,
        d: `M${at - 4},${top + 5}L${at},${top - 2}L${at + 4},${top + 5}z`,
      }),
  ];
}

function drawSeries(panel, series, position, x, y) {
  const colour = colourOf(series.number),
    parts = [],
    line = [];
  const width = panel.isBars ? Math.min(26, (0.84 * x.step) / panel.series.length) : 0;
  const shift = panel.isBars ? (position - (panel.series.length - 1) / 2) * width : 0;
  const base = PLOT.height - PLOT.bottom;
  series.points.forEach((point, i) => {
    const at = x.at(i) + shift;
    if (point.value !== null) {
      const top = y.at(point.value);
      if (panel.isBars && !y.isLog)
        parts.push(
          svg('rect', {
            class: 'bar',
            fill: colour,
            x: at - width * 0.42,
            width: width * 0.84,
            y: top,
            height: Math.max(0, base - top),
          }),
        );
      parts.push(drawInterval(point, at, y, colour));
      parts.push(
        marker(series.number, {
          class: 'mark',
          transform: `translate(${at},${top})${panel.isBars && width < 9 ? 'scale(.75)' : ''}`,
        }),
      );
      line.push(`${at},${top}`);
    }
    if (point.paper !== null)
      parts.push(
        svg('path', {
          class: 'paper-mark',
          stroke: panel.papers.colour ?? colour,
          d: PAPER_MARK,
          transform: `translate(${at},${y.at(point.paper)})`,
        }),
      );
  });
  if (!panel.isBars && line.length > 1)
    parts.unshift(
      svg('path', {
        class: 'curve',
        stroke: colour,
        'stroke-dasharray': DASHES[series.number % DASHES.length] || null,
        d: `M${line.join('L')}`,
      }),
    );
  return parts;
}

// --- the values at the pointer ---------------------------------------------------------------

function valueText(point, papers) {
  const here =
    point.value === null
      ? 'not measured'
      : `${format(point.value)} ${interval(point.low, point.high)}`;
  return `${here.trim()}${point.paper === null ? '' : `; ${papers.short} ${format(point.paper)}`}`;
}

function tipFor(panel, i) {
  const rows = panel.series
    .map((series) => ({series, point: series.points[i]}))
    .filter(({point}) => point.value !== null || point.paper !== null)
    .sort((a, b) => (a.point.value ?? Infinity) - (b.point.value ?? Infinity));
  const swatch = (series) =>
    svg('svg', {viewBox: '-6 -6 12 12', class: 'swatch'}, marker(series.number));
  return [
    el('strong', null, `${panel.axis} ${xText(panel, panel.xs[i])}`),
    ` · ${panel.unit}`,
    el(
      'table',
      null,
      el(
        'tbody',
        null,
        rows.map(({series, point}) =>
          el(
            'tr',
            null,
            el('th', {scope: 'row'}, swatch(series), series.label),
            el('td', null, format(point.value)),
            el('td', {class: 'soft'}, interval(point.low, point.high)),
            el(
              'td',
              null,
              point.paper === null ? '' : `${panel.papers.short} ${format(point.paper)}`,
            ),
          ),
        ),
      ),
    ),
  ];
}

function showTip(content, left, top) {
  const tip = document.getElementById('tip');
  tip.replaceChildren(...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(left + 14, innerWidth - box.width - 8))}px`;
  const below = top + 14;
  const above = Math.max(4, top - box.height - 14);
  tip.style.top = `${below + box.height > innerHeight ? above : below}px`;
}

function hideTip() {
  document.getElementById('tip').hidden = true;
}

// The plot is a slider along x: pointer and arrow keys choose a point, and its values are the text.
function makeInteractive(box, drawing, panel, x) {
  const guide = svg('line', {
    class: 'guide',
    y1: PLOT.top,
    y2: PLOT.height - PLOT.bottom,
    visibility: 'hidden',
  });
  drawing.append(guide);
  let now = 0;
  const choose = (i, left, top) => {
    now = Math.max(0, Math.min(panel.xs.length - 1, i));
    guide.setAttribute('x1', x.at(now));
    guide.setAttribute('x2', x.at(now));
    guide.setAttribute('visibility', 'visible');
    box.setAttribute('aria-valuenow', now);
    box.setAttribute('aria-valuetext', describeAt(panel, now));
    showTip(tipFor(panel, now), left, top);
  };
  const leave = () => {
    guide.setAttribute('visibility', 'hidden');
    hideTip();
  };
  box.addEventListener('pointermove', (event) => {
    const area = drawing.getBoundingClientRect();
    const here = ((event.clientX - area.left) / area.width) * PLOT.width;
    let best = 0;
    panel.xs.forEach((_, i) => {
      if (Math.abs(x.at(i) - here) < Math.abs(x.at(best) - here)) best = i;
    });
    choose(best, event.clientX, event.clientY);
  });
  box.addEventListener('pointerleave', leave);
  box.addEventListener('blur', leave);
  box.addEventListener('keydown', (event) => {
    const steps = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -99, End: 99};
    if (event.key === 'Escape') return leave();
    if (!(event.key in steps)) return;
    event.preventDefault();
    const area = drawing.getBoundingClientRect();
    const next = Math.max(
      0,
      Math.min(
        panel.xs.length - 1,
        now + (box.getAttribute('aria-valuetext') ? steps[event.key] : 0),
      ),
    );
    choose(next, area.left + (x.at(next) / PLOT.width) * area.width, area.top + area.height / 3);
  });
}

function describeAt(panel, i) {
  const texts = panel.series
    .filter((series) => series.points[i].value !== null || series.points[i].paper !== null)
    .map((series) => `${series.label} ${valueText(series.points[i], panel.papers)}`);
  const values = texts.join(', ') || 'not measured';
  return `${panel.axis} ${xText(panel, panel.xs[i])}: ${values}; ${panel.unit}`;
}

function treesText(trees) {
  if (!trees) return '';
  const [least, most] = trees.map((n) => n.toLocaleString('en'));
  return `${least === most ? least : `${least} to ${most}`} trees, `;
}

// A panel: {title, trees, unit, axis, papers, xs, isBars, origin, series: [{number, label,
// points: [{value, low, high, paper}, ...]}]}, with a point for each x.
function plotPanel(panel) {
  const y = makeY(panel);
  const caption = el(
    'figcaption',
    null,
    el('strong', null, panel.title),
    ' ',
    el('span', {class: 'soft'}, treesText(panel.trees)),
    el('span', {class: 'soft'}, `${panel.unit}${y?.isLog ? ', log scale' : ''}`),
    ' ',
    originBadges(panel.origin),
  );
  if (!y)
    return el('figure', {class: 'panel'}, caption, el('p', {class: 'nothing'}, 'not measured'));
  const x = makeX(panel);
  const drawing = svg(
    'svg',
    {viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, 'aria-hidden': 'true'},
    drawAxes(panel, x, y),
    panel.series
      .map((series, position) => drawSeries(panel, series, position, x, y))
      .flat(Infinity),
  );
  const box = el(
    'div',
    {
      class: 'plot',
      tabindex: '0',
      role: 'slider',
      'aria-label': `${panel.title}: values along ${panel.axis}`,
      'aria-valuemin': 0,
      'aria-valuemax': panel.xs.length - 1,
      'aria-valuenow': 0,
    },
    drawing,
  );
  makeInteractive(box, drawing, panel, x);
  return el('figure', {class: 'panel'}, caption, box);
}

function plotLegend(series, {isBars, papers}, hasPaper) {
  const items = series.map((one) =>
    el(
      'li',
      null,
      svg(
        'svg',
        {viewBox: '-14 -7 28 14', class: 'key', 'aria-hidden': 'true'},
        !isBars &&
          svg('path', {
            class: 'curve',
            stroke: colourOf(one.number),
            'stroke-dasharray': DASHES[one.number % DASHES.length] || null,
            d: 'M-14,0H14',
          }),
        marker(one.number),
      ),
      one.label,
    ),
  );
  if (hasPaper)
    items.push(
      el(
        'li',
        null,
        svg(
          'svg',
          {viewBox: '-14 -7 28 14', class: 'key', 'aria-hidden': 'true'},
          svg('path', {class: 'paper-mark', stroke: 'currentColor', d: PAPER_MARK}),
        ),
        papers.long,
      ),
    );
  return el('ul', {class: 'legend'}, items);
}
