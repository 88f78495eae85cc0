// Claims: the verdict, the words, and a strip that shows each interval beside the claim's bounds.

// The axis of a strip. Ratios have a log axis, shares a linear one.
function stripAxis(claim) {
  const numbers = [];
  for (const one of claim.values) {
    numbers.push(one.value);
    for (const end of one.interval)
      if (end !== null && (claim.share || (end > one.value / 3 && end < one.value * 3)))
        numbers.push(end);
  }
  for (const end of [...claim.bounds, ...(claim.papers || [])]) if (end !== null) numbers.push(end);
  const usable = claim.share ? numbers.map((n) => Math.max(n, -2)) : numbers.filter((n) => n > 0);
  const scale = claim.share ? (n) => n : (n) => Math.log(Math.max(n, 1e-9));
  let low = Math.min(...usable.map(scale)),
    high = Math.max(...usable.map(scale));
  const pad = (high - low) * 0.06 || 0.1;
  low -= pad;
  high += pad;
  return (n) => Math.max(0, Math.min(100, (100 * (scale(n) - low)) / (high - low)));
}

function showValue(claim, value) {
  return claim.share ? percent(value) : format(value);
}

function showBound(claim, value) {
  return claim.share
    ? `${Number((100 * value).toPrecision(3))} %`
    : String(Number(value.toPrecision(4)));
}

function boundText(claim) {
  const [low, high] = claim.bounds;
  if (low !== null && high !== null)
    return `between ${showBound(claim, low)} and ${showBound(claim, high)}`;
  if (low !== null) return `above ${showBound(claim, low)}`;
  return high !== null ? `below ${showBound(claim, high)}` : '';
}

// How far a value that fails is over the bounds, or how close the interval of another comes to them
// (negative inside). The greater the worse.
function excess(claim, one) {
  const [low, high] = claim.bounds,
    scale = (n) => (claim.share ? n : Math.log(Math.max(n, 1e-9)));
  const [from, to] =
    one.verdict === 'not held'
      ? [one.value, one.value]
      : one.interval.map((end) => end ?? one.value);
  return Math.max(
    low === null ? -Infinity : scale(low) - scale(from),
    high === null ? -Infinity : scale(to) - scale(high),
  );
}

function worstValue(claim) {
  return claim.values?.length ? byVerdict(claim)[0] : null;
}

function pointsText(claim) {
  const counts = claim.points || {},
    all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const parts = [
    ['not held', 'fail'],
    ['unresolved', 'open'],
  ]
    .filter(([verdict]) => counts[verdict])
    .map(([verdict, word]) => `${counts[verdict]} ${word}`);
  return all ? `${counts.held} of ${all} hold${parts.length ? `, ${parts.join(', ')}` : ''}` : '';
}

// Failing values first, and the worst of them before the others, because they are what the reader
// looks for.
function byVerdict(claim) {
  return [...claim.values].sort(
    (a, b) =>
      VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
      excess(claim, b) - excess(claim, a),
  );
}

function drawStrip(claim, values, at) {
  const step = values.length > 24 ? 4 : values.length > 1 ? 6 : 12,
    height = values.length * step + 8;
  const [low, high] = claim.bounds,
    left = low === null ? 0 : at(low),
    right = high === null ? 100 : at(high);
  const upright = (x, kind) => svg('line', {class: kind, x1: x, x2: x, y1: 0, y2: height});
  return svg(
    'svg',
    {
      class: 'strip',
      viewBox: `0 0 100 ${height}`,
      preserveAspectRatio: 'none',
      style: `height:${height}px`,
      'aria-hidden': 'true',
    },
    svg('rect', {class: 'inside', x: left, width: Math.max(0, right - left), y: 0, height}),
    claim.papers &&
      svg('rect', {
        class: 'papers',
        x: at(claim.papers[0]),
        width: Math.max(0.6, at(claim.papers[1]) - at(claim.papers[0])),
        y: height - 4,
        height: 4,
      }),
    low !== null && upright(left, 'bound'),
    high !== null && upright(right, 'bound'),
    values.map((one, i) => {
      const y = 4 + (i + 0.5) * step,
        [from, to] = one.interval,
        known = from !== null && to !== null;
      return svg(
        'g',
        {class: verdictClass(one.verdict)},
        known && svg('line', {class: 'reach', x1: at(from), x2: at(to), y1: y, y2: y}),
        svg('line', {
          class: 'middle',
          x1: at(one.value),
          x2: at(one.value),
          y1: y - step * 0.4,
          y2: y + step * 0.4,
        }),
      );
    }),
  );
}

function stripScale(claim, at) {
  const marks = new Map();
  const add = (value, text) => marks.set(Math.round(at(value)), text);
  const all = claim.values.map((one) => one.value);
  for (const value of [Math.min(...all), Math.max(...all)]) add(value, showValue(claim, value));
  for (const value of claim.bounds)
    if (value !== null) add(value, `bound ${showBound(claim, value)}`);
  const sorted = [...marks].sort((a, b) => a[0] - b[0]);
  const kept = [];
  for (const [x, text] of sorted) {
    const before = kept[kept.length - 1];
    if (before && x - before[0] < 16) {
      if (text.startsWith('bound')) kept[kept.length - 1] = [x, text];
      continue;
    }
    kept.push([x, text]);
  }
  return el(
    'div',
    {class: 'strip-scale', 'aria-hidden': 'true'},
    kept.map(([x, text]) =>
      el('span', {style: `left:${x}%`, class: x > 85 ? 'end' : x < 15 ? 'start' : null}, text),
    ),
  );
}

function valuesTable(claim, values, at) {
  const show = (value) => showValue(claim, value);
  return el(
    'div',
    {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Values of the claim'},
    el(
      'table',
      {class: 'numbers values'},
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          [
            'verdict',
            'at',
            'compared',
            claim.share ? 'time saved' : 'value',
            '95 % interval',
            'value and bound',
          ].map((text, i) =>
            el('th', {scope: 'col', class: i > 2 && i < 5 ? 'number' : null}, text),
          ),
        ),
      ),
      el(
        'tbody',
        null,
        values.map((one) =>
          el(
            'tr',
            null,
            el('td', null, verdictChip(one.verdict)),
            el('th', {scope: 'row'}, one.where),
            el('td', null, el('code', null, one.what)),
            el('td', {class: 'number'}, show(one.value)),
            el('td', {class: 'number soft'}, interval(one.interval[0], one.interval[1], show)),
            el('td', {class: 'bar-cell'}, drawStrip(claim, [one], at)),
          ),
        ),
      ),
    ),
  );
}

// Few values stand in a table with a bar each. Many are drawn as one strip, above their table.
const FEW_VALUES = 6;

function claimEvidence(claim) {
  if (!claim.values || claim.values.length === 0) return null;
  const at = stripAxis(claim),
    values = byVerdict(claim),
    counts = countVerdicts(claim.values);
  const tally = VERDICTS.filter((verdict) => counts[verdict])
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');
  const papers =
    claim.papers &&
    'The paper reports ' +
      `${[...new Set(claim.papers)].map((end) => showValue(claim, end)).join(' to ')}, the ` +
      'line at the bottom.';
  const table = valuesTable(claim, values, at);
  const strip = () => [
    el(
      'div',
      {
        role: 'img',
        'aria-label':
          `${values.length} values with 95 % intervals: ${tally}. Each must lie ` +
          `${boundText(claim)}.`,
      },
      drawStrip(claim, values, at),
      stripScale(claim, at),
    ),
    el(
      'details',
      null,
      el(
        'summary',
        null,
        claim.found > values.length
          ? `The first ${values.length} of ${claim.found} values, with their points`
          : `All ${values.length} values, with their points`,
      ),
      table,
    ),
  ];
  return el(
    'div',
    {class: 'evidence'},
    values.length > FEW_VALUES ? strip() : table,
    papers && el('p', {class: 'soft'}, papers),
  );
}

function claimItem(artefact, claim) {
  return el(
    'li',
    {class: `claim ${verdictClass(claim.verdict)}`, id: `${artefact.name}--${claim.id}`},
    el('p', {class: 'words'}, verdictChip(claim.verdict), ' ', claim.words),
    claim.rule && el('p', {class: 'rule'}, claim.rule),
    claim.open && el('p', {class: 'soft'}, `The paper's own numbers leave it open: ${claim.open}.`),
    el('p', {class: 'measured'}, 'Here: ', claim.measured),
    claimEvidence(claim),
  );
}

// Claims that compare no values with a bound say in words what was measured.
function worstNode(claim) {
  const worst = worstValue(claim);
  if (!worst) return claim.measured;
  return [
    el('strong', null, showValue(claim, worst.value)),
    ' ',
    interval(worst.interval[0], worst.interval[1], (value) => showValue(claim, value)),
    el('div', {class: 'soft'}, worst.where, el('br'), el('code', null, worst.what)),
  ];
}

// All claims of the run in one list that can be filtered by verdict and paper.
function claimsSection(facts) {
  const all = facts.artefacts
    .flatMap((artefact) => artefact.claims.map((claim) => ({artefact, claim})))
    .sort((a, b) => VERDICTS.indexOf(a.claim.verdict) - VERDICTS.indexOf(b.claim.verdict));
  const papers = [...new Set(facts.artefacts.map((artefact) => paperOf(artefact.name)))];
  return dataTable({
    id: 'claims',
    caption: 'All claims',
    rows: all,
    noun: 'claims',
    choices: [
      {name: 'verdict', values: VERDICTS, of: (row) => row.claim.verdict},
      {name: 'paper', values: papers, of: (row) => paperOf(row.artefact.name)},
    ],
    columns: [
      {
        title: 'verdict',
        value: (row) => VERDICTS.indexOf(row.claim.verdict),
        text: (row) => row.claim.verdict,
        show: (row) => verdictChip(row.claim.verdict),
      },
      {
        title: 'artefact',
        value: (row) => row.artefact.name,
        show: (row) => [
          el(
            'a',
            {href: `#${row.artefact.name}`},
            `${paperOf(row.artefact.name)} ${labelOf(row.artefact.name)}`,
          ),
          el('br'),
          originBadges(row.claim.origin),
        ],
      },
      {
        title: 'claim',
        value: (row) => row.claim.words,
        show: (row) => el('a', {href: `#${row.artefact.name}--${row.claim.id}`}, row.claim.words),
        wide: true,
      },
      {
        title: 'required',
        value: (row) => (row.claim.bounds ? boundText(row.claim) : ''),
        show: (row) => (row.claim.bounds ? boundText(row.claim) : '–'),
        sorts: false,
      },
      {
        title: 'worst value here',
        value: (row) => (worstValue(row.claim) ? excess(row.claim, worstValue(row.claim)) : null),
        text: (row) => row.claim.measured,
        show: (row) => worstNode(row.claim),
        wide: true,
      },
      {
        title: 'points',
        value: (row) => textOf(row.claim, 'points', 'not held'),
        show: (row) => pointsText(row.claim),
      },
    ],
  });
}
