// The map: which implementation is fastest, by documents per call, trees, leaves and features.

function mapFamilies(points) {
  const wins = new Map();
  for (const point of points) wins.set(point.family, (wins.get(point.family) || 0) + 1);
  return [...wins.keys()].sort((a, b) => wins.get(b) - wins.get(a));
}

function mapCell(point, families) {
  if (!point) return el('td', {class: 'empty'}, el('span', {class: 'soft'}, 'not measured'));
  const number = families.indexOf(point.family);
  return el('td', {class: 'map-cell', style: `--f: ${colourOf(number)}`, title: `then ${point.second}, ${format(point.second_ratio)}x`},
    svg('svg', {viewBox: '-6 -6 12 12', class: 'swatch', 'aria-hidden': 'true'}, marker(number)),
    el('span', null, point.winner, point.tie ? ' (tie)' : ''), el('br'), el('span', {class: 'soft'}, duration(point.ns_per_document)));
}

// One table for each number of features and leaves: trees down, documents per call across.
function mapTable(points, families, features, leaves) {
  const here = points.filter((point) => point.features === features && point.leaves === leaves);
  const values = (key) => [...new Set(here.map((point) => point[key]))].sort((a, b) => a - b);
  const title = `${features} features, ${leaves} leaves`;
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Map: ${title}`}, el('table', {class: 'map'},
    el('caption', null, title), el('thead', null, el('tr', null, el('th', {scope: 'col'}, 'trees'),
      values('call').map((call) => el('th', {scope: 'col'}, `${call.toLocaleString('en')} per call`)))),
    el('tbody', null, values('trees').map((trees) => el('tr', null, el('th', {scope: 'row'}, trees.toLocaleString('en')),
      values('call').map((call) => mapCell(here.find((point) => point.trees === trees && point.call === call), families)))))));
}

function mapList(points) {
  const number = (title, key) => ({title, value: (row) => row[key], show: (row) => row[key].toLocaleString('en'), number: true});
  const rival = (title, name, ratio) => ({title, value: (row) => row[ratio], text: (row) => row[name],
    show: (row) => row[ratio] === null ? '–' : [el('code', null, row[name]), ` ${format(row[ratio])}x`]});
  const choice = (name, key) => ({name, values: [...new Set(points.map((point) => point[key]))].sort((a, b) => a - b).map(String), of: (row) => String(row[key])});
  return dataTable({
    id: 'map', caption: 'All points of the map', rows: points, noun: 'points',
    choices: [choice('call', 'call'), choice('trees', 'trees'), choice('leaves', 'leaves'), choice('features', 'features')],
    columns: [
      {title: 'fastest', value: (row) => row.winner, show: (row) => [el('code', null, row.winner), row.tie ? ' (tie)' : '']},
      number('documents per call', 'call'), number('trees', 'trees'), number('leaves', 'leaves'), number('features', 'features'),
      {title: 'time per document', value: (row) => row.ns_per_document, show: (row) => duration(row.ns_per_document), number: true},
      rival('second', 'second', 'second_ratio'), rival('best library', 'library', 'library_ratio'), rival('choice of auto', 'auto', 'auto_ratio'),
    ],
  });
}

function mapSection(facts) {
  const points = objects(facts.map.points), families = mapFamilies(points);
  const pairs = [...new Set(points.map((point) => `${point.features}|${point.leaves}`))].map((pair) => pair.split('|').map(Number));
  return section('map', 'The map',
    el('p', null, `The fastest implementation by documents per call, trees, leaves and features. Run ${facts.map.name} on ${textOf(facts.map.manifest, 'cpu', 'model')}, ${when(facts.map.manifest.started)}. `, originBadges(facts.map.origin)),
    el('p', {class: 'soft'}, 'A tie is not resolved: the second may be as fast. Ratios are times of the others divided by the fastest.'),
    mapList(points), el('div', {class: 'maps'}, pairs.map(([features, leaves]) => mapTable(points, families, features, leaves))));
}
