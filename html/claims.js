// Claims: the verdict, the words, and a strip that shows each interval beside the claim's bounds.

// The axis of a strip. Ratios have a log axis, shares a linear one.
function stripAxis(claim) {
  const numbers = [];
  for (const one of claim.values) {
    numbers.push(one.value);
    for (const end of one.interval)
      if (end !== null && (claim.share || (end > one.value / 3 && end < one.value * 3))) numbers.push(end);
  }
  for (const end of [...claim.bounds, ...(claim.papers || [])]) if (end !== null) numbers.push(end);
  const usable = claim.share ? numbers.map((n) => Math.max(n, -2)) : numbers.filter((n) => n > 0);
  const scale = claim.share ? (n) => n : (n) => Math.log(Math.max(n, 1e-9));
  let low = Math.min(...usable.map(scale)), high = Math.max(...usable.map(scale));
  const pad = (high - low) * 0.06 || 0.1;
  low -= pad; high += pad;
  return (n) => Math.max(0, Math.min(100, 100 * (scale(n) - low) / (high - low)));
}

function showValue(claim, value) {
  return claim.share ? percent(value) : format(value);
}

function boundText(claim) {
  const [low, high] = claim.bounds;
  const show = (value) => claim.share ? percent(value) : String(Number(value.toPrecision(4)));
  if (low !== null && high !== null) return `must lie between ${show(low)} and ${show(high)}`;
  if (low !== null) return `must lie above ${show(low)}`;
  return high !== null ? `must lie below ${show(high)}` : '';
}

// Failing values first, because they are what the reader looks for.
function byVerdict(values) {
  const order = {'not held': 0, 'unresolved': 1, 'held': 2};
  return [...values].sort((a, b) => order[a.verdict] - order[b.verdict] || a.value - b.value);
}

function drawStrip(claim, values, at) {
  const step = values.length > 24 ? 4 : values.length > 8 ? 6 : 9, height = values.length * step + 8;
  const [low, high] = claim.bounds, left = low === null ? 0 : at(low), right = high === null ? 100 : at(high);
  const upright = (x, kind) => svg('line', {class: kind, x1: x, x2: x, y1: 0, y2: height});
  return svg('svg', {class: 'strip', viewBox: `0 0 100 ${height}`, preserveAspectRatio: 'none', style: `height:${height}px`, 'aria-hidden': 'true'},
    svg('rect', {class: 'inside', x: left, width: Math.max(0, right - left), y: 0, height}),
    claim.papers && svg('rect', {class: 'papers', x: at(claim.papers[0]), width: Math.max(0.6, at(claim.papers[1]) - at(claim.papers[0])), y: height - 4, height: 4}),
    low !== null && upright(left, 'bound'), high !== null && upright(right, 'bound'),
    values.map((one, i) => {
      const y = 4 + (i + 0.5) * step, [from, to] = one.interval, known = from !== null && to !== null;
      return svg('g', {class: verdictClass(one.verdict)},
        known && svg('line', {class: 'reach', x1: at(from), x2: at(to), y1: y, y2: y}),
        svg('line', {class: 'middle', x1: at(one.value), x2: at(one.value), y1: y - step * 0.4, y2: y + step * 0.4}));
    }));
}

function stripScale(claim, at) {
  const marks = new Map();
  const add = (value, text) => marks.set(Math.round(at(value)), text);
  const all = claim.values.map((one) => one.value);
  for (const value of [Math.min(...all), Math.max(...all)]) add(value, showValue(claim, value));
  for (const value of claim.bounds) if (value !== null) add(value, `bound ${claim.share ? percent(value) : Number(value.toPrecision(3))}`);
  const sorted = [...marks].sort((a, b) => a[0] - b[0]);
  const kept = [];
  for (const [x, text] of sorted) {
    const before = kept[kept.length - 1];
    if (before && x - before[0] < 16) { if (text.startsWith('bound')) kept[kept.length - 1] = [x, text]; continue; }
    kept.push([x, text]);
  }
  return el('div', {class: 'strip-scale', 'aria-hidden': 'true'},
    kept.map(([x, text]) => el('span', {style: `left:${x}%`, class: x > 85 ? 'end' : x < 15 ? 'start' : null}, text)));
}

function valuesTable(claim, values) {
  const show = (value) => showValue(claim, value);
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Values of the claim'}, el('table', {class: 'numbers'},
    el('thead', null, el('tr', null, ['verdict', 'at', 'compared', claim.share ? 'time saved' : 'value', '95 % interval']
      .map((text, i) => el('th', {scope: 'col', class: i > 2 ? 'number' : null}, text)))),
    el('tbody', null, values.map((one) => el('tr', null,
      el('td', null, verdictChip(one.verdict)), el('th', {scope: 'row'}, one.where), el('td', null, el('code', null, one.what)),
      el('td', {class: 'number'}, show(one.value)),
      el('td', {class: 'number soft'}, interval(one.interval[0], one.interval[1], show)))))));
}

function claimEvidence(claim) {
  if (!claim.values || claim.values.length === 0) return null;
  const at = stripAxis(claim), values = byVerdict(claim.values), counts = countVerdicts(claim.values);
  const tally = VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => `${counts[verdict]} ${verdict}`).join(', ');
  const what = claim.share ? 'Shares of time saved' : 'Values';
  return el('div', {class: 'evidence'},
    el('div', {role: 'img', 'aria-label': `${claim.values.length} values with 95 % intervals: ${tally}. A value ${boundText(claim)}.`},
      drawStrip(claim, values, at), stripScale(claim, at)),
    el('p', {class: 'soft'}, `${what} with 95 % intervals; a value ${boundText(claim)}`,
      claim.papers ? ` (the paper: ${[...new Set(claim.papers)].map((end) => showValue(claim, end)).join(' to ')}, the line at the bottom)` : '', '.'),
    el('details', null, el('summary', null, claim.found > claim.values.length
      ? `The first ${claim.values.length} of ${claim.found} values` : `All ${claim.values.length} values`),
    valuesTable(claim, values)));
}

function claimItem(artefact, claim) {
  return el('li', {class: `claim ${verdictClass(claim.verdict)}`, id: `${artefact.name}--${claim.id}`},
    el('p', {class: 'words'}, verdictChip(claim.verdict), ' ', claim.words),
    el('p', {class: 'measured'}, claim.measured), claimEvidence(claim));
}

// All claims of the run in one list that can be filtered by verdict and paper.
function claimsSection(facts) {
  const all = facts.artefacts.flatMap((artefact) => artefact.claims.map((claim) => ({artefact, claim})));
  const papers = [...new Set(facts.artefacts.map((artefact) => paperOf(artefact.name)))];
  return dataTable({
    id: 'claims', caption: 'All claims', rows: all, noun: 'claims',
    choices: [
      {name: 'verdict', values: VERDICTS, of: (row) => row.claim.verdict},
      {name: 'paper', values: papers, of: (row) => paperOf(row.artefact.name)},
    ],
    columns: [
      {title: 'verdict', value: (row) => VERDICTS.indexOf(row.claim.verdict), text: (row) => row.claim.verdict, show: (row) => verdictChip(row.claim.verdict)},
      {title: 'artefact', value: (row) => row.artefact.name, show: (row) => el('a', {href: `#${row.artefact.name}`}, `${paperOf(row.artefact.name)} ${labelOf(row.artefact.name)}`)},
      {title: 'claim', value: (row) => row.claim.words, show: (row) => el('a', {href: `#${row.artefact.name}--${row.claim.id}`}, row.claim.words), wide: true},
      {title: 'measured here', value: (row) => row.claim.measured, show: (row) => row.claim.measured, wide: true, sorts: false},
    ],
  });
}
