// The map: which implementation is fastest, by documents per call, trees, leaves and features.

const MAP_AXES = [
  ['call', 'documents per call'],
  ['trees', 'trees'],
  ['leaves', 'leaves'],
  ['features', 'features'],
];

function mapValues(points, key) {
  return [...new Set(points.map((point) => point[key]))].sort((a, b) => a - b);
}

function mapFamilies(points) {
  return groupBy(points, (point) => point.family)
    .sort((a, b) => b.length - a.length)
    .map((won) => won[0].family);
}

function mapCell(point, families) {
  if (!point) return el('td', {class: 'empty'}, el('span', {class: 'soft'}, 'not measured'));
  const number = families.indexOf(point.family);
  return el(
    'td',
    {
      class: 'map-cell',
      style: `--f: ${colourOf(number)}`,
      title: `then ${point.second}, ${format(point.second_ratio)}x`,
    },
    svg('svg', {viewBox: '-6 -6 12 12', class: 'swatch', 'aria-hidden': 'true'}, marker(number)),
    el('span', null, point.winner, point.tie ? ' (tie)' : ''),
    el('br'),
    el('span', {class: 'soft'}, duration(point.ns_per_document)),
  );
}

// One table for each number of features and leaves: trees down, documents per call across.
function mapTable(points, families, features, leaves) {
  const here = points.filter((point) => point.features === features && point.leaves === leaves);
  const calls = mapValues(points, 'call'),
    title = `${features} features, ${leaves} leaves`;
  return el(
    'div',
    {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Map: ${title}`},
    el(
      'table',
      {class: 'map'},
      el('caption', null, title),
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          el('th', {scope: 'col'}, 'trees'),
          calls.map((call) => el('th', {scope: 'col'}, `${call.toLocaleString('en')} per call`)),
        ),
      ),
      el(
        'tbody',
        null,
        mapValues(points, 'trees').map((trees) =>
          el(
            'tr',
            null,
            el('th', {scope: 'row'}, trees.toLocaleString('en')),
            calls.map((call) =>
              mapCell(
                here.find((point) => point.trees === trees && point.call === call),
                families,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function mapList(points) {
  const rival = (title, name, ratio) => ({
    title,
    value: (row) => row[ratio],
    text: (row) => row[name],
    show: (row) =>
      row[ratio] === null ? '–' : [el('code', null, row[name]), ` ${format(row[ratio])}x`],
  });
  return dataTable({
    id: 'map',
    caption: 'All points of the map',
    rows: points,
    noun: 'points',
    page: 10,
    choices: MAP_AXES.map(([key, label]) => ({
      name: key,
      label,
      values: mapValues(points, key).map(String),
      of: (row) => String(row[key]),
    })),
    columns: [
      {
        title: 'fastest',
        value: (row) => row.winner,
        show: (row) => [el('code', null, row.winner), row.tie ? ' (tie)' : ''],
      },
      ...MAP_AXES.map(([key, title]) => ({
        title,
        value: (row) => row[key],
        show: (row) => row[key].toLocaleString('en'),
        number: true,
      })),
      {
        title: 'time per document',
        value: (row) => row.ns_per_document,
        show: (row) => duration(row.ns_per_document),
        number: true,
      },
      rival('second', 'second', 'second_ratio'),
      rival('best library', 'library', 'library_ratio'),
      rival('choice of auto', 'auto', 'auto_ratio'),
    ],
  });
}

function mapScope(points) {
  const values = MAP_AXES.map(
    ([key, title]) =>
      `${mapValues(points, key)
        .map((value) => value.toLocaleString('en'))
        .join(', ')} ${title}`,
  );
  const all = MAP_AXES.reduce((product, [key]) => product * mapValues(points, key).length, 1);
  const missing = all - points.length;
  const note = missing ? ` ${missing} of these ${all} combinations are not measured.` : '';
  return `It covers ${values.join('; ')}.${note}`;
}

function mapImplementations(facts, points) {
  const implOf = (variant) => variant.split(',')[0];
  const won = (name) => points.filter((point) => implOf(point.winner) === name);
  const item = ([name, about]) => [
    name,
    about,
    won(name).length,
    won(name).filter((point) => point.tie).length,
  ];
  const text = ([name, about, wins, ties]) =>
    el(
      'li',
      null,
      el('strong', null, about.title),
      ' ',
      el('code', null, name),
      ' ',
      el(
        'span',
        {class: 'soft'},
        `${sourceOf(about.source)}; fastest at ${wins} of ${points.length} ` +
          `points${ties ? `, ${ties} of them ties` : ''}`,
      ),
    );
  return el(
    'details',
    {class: 'fold'},
    el('summary', null, 'Implementations that were measured'),
    el(
      'ul',
      null,
      Object.entries(facts.map.implementations)
        .map(item)
        .sort((a, b) => b[2] - a[2])
        .map(text),
    ),
  );
}

function mapSection(facts) {
  const points = objects(facts.map.points).sort(
      (a, b) =>
        a.call - b.call || a.trees - b.trees || a.leaves - b.leaves || a.features - b.features,
    ),
    families = mapFamilies(points);
  const pairs = groupBy(points, (point) => `${point.features}|${point.leaves}`).map(([first]) => [
    first.features,
    first.leaves,
  ]);
  return section(
    'map',
    'The fastest implementation (map)',
    el(
      'p',
      null,
      'Which implementation is fastest, by documents per call, trees, leaves and features? ' +
        `Choose below, or read the tables. Run ${facts.map.name} on ` +
        `${textOf(facts.map.manifest, 'cpu', 'model')}, ${when(facts.map.manifest.started)}. `,
      originBadges(facts.map.origin),
    ),
    el('p', null, mapScope(points)),
    el(
      'p',
      {class: 'soft'},
      'A tie is not resolved: the second may be as fast, and its ratio may be below 1. ' +
        'Ratios are times of the others divided by the fastest. auto is a choice among the ' +
        'others, so it is compared but never named as the fastest.',
    ),
    mapList(points),
    el(
      'div',
      {class: 'maps'},
      pairs.map(([features, leaves]) => mapTable(points, families, features, leaves)),
    ),
    mapImplementations(facts, points),
  );
}

function noMapSection() {
  return section(
    'map',
    'The fastest implementation (map)',
    el(
      'p',
      null,
      'No map was measured with this run. A map shows which implementation is fastest by ' +
        'documents per call, trees, leaves and features. ',
      el('code', null, 'make map'),
      ' measures one, and ',
      el('code', null, 'report --run RUN --run MAP --html FILE'),
      ' adds it to this page.',
    ),
  );
}
