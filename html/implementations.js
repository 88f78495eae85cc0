// The fastest on each workload, and the times of each implementation.

function speedColumns() {
  return [
    {
      title: 'time per document',
      value: (row) => row.value,
      show: (row) => duration(row.value),
      number: true,
    },
    {
      title: '95 % interval',
      value: (row) => row.low,
      show: (row) => interval(row.low, row.high, duration),
      number: true,
    },
    {title: 'trials', value: (row) => row.trials, show: (row) => row.trials, number: true},
  ];
}

function sourceOf(source) {
  return /^(-$|docs\/)/.test(source) ? 'treebench’s own' : source;
}

function shareBar(row) {
  const share = row.fastest / row.value;
  return el(
    'span',
    {class: 'share'},
    svg(
      'svg',
      {viewBox: '0 0 60 8', 'aria-hidden': 'true'},
      svg('rect', {class: 'inside', width: 60, height: 8}),
      svg('rect', {class: 'full', width: 60 * share, height: 8}),
    ),
    share === 1 ? 'fastest' : `${format(row.value / row.fastest)}x`,
  );
}

// The intervals of the two are not paired, so a difference that they hide may still be real.
function isTie(best, second) {
  return best.high === null || second.low === null || second.low <= best.high;
}

// Adds to each speed the time of the fastest variant on its workload, and that of `rowscan`, which
// only reads the documents. Baselines compute no scores, so they are not compared.
function compareSpeeds(facts) {
  const isScorer = (speed) => facts.implementations[speed.impl]?.kind !== 'baseline';
  const winners = [];
  for (const group of groupBy(
    facts.speeds.filter((speed) => speed.value !== null),
    (speed) => `${speed.point}|${speed.documents}`,
  )) {
    const scorers = group.filter(isScorer).sort((a, b) => a.value - b.value),
      reading = group.find((speed) => speed.impl === 'rowscan');
    for (const speed of scorers)
      Object.assign(speed, {fastest: scorers[0].value, reading: reading ? reading.value : null});
    if (scorers.length === 0) continue;
    const second = scorers.find((speed) => speed.impl !== scorers[0].impl) || null;
    winners.push({
      ...scorers[0],
      second,
      tie: second !== null && isTie(scorers[0], second),
      variants: scorers.length,
    });
  }
  return {speeds: facts.speeds.filter((speed) => speed.fastest !== undefined), winners};
}

function workloadColumn() {
  return {
    title: 'workload',
    value: (row) => row.point,
    text: (row) => `${row.point} ${row.origin.join(' ')}`,
    show: (row) => withOrigins(row.point, row.origin),
  };
}

function winnersSection(winners) {
  return dataTable({
    id: 'winners',
    caption: 'The fastest variant on each workload',
    rows: winners,
    noun: 'workloads',
    page: 20,
    columns: [
      workloadColumn(),
      documentsColumn(),
      {
        title: 'fastest',
        value: (row) => row.variant,
        show: (row) => [el('code', null, row.variant), row.tie ? ' (tie)' : ''],
      },
      ...speedColumns(),
      {
        title: 'next implementation',
        value: (row) => (row.second ? row.second.value / row.value : null),
        text: (row) => (row.second ? row.second.variant : ''),
        show: (row) =>
          row.second
            ? [el('code', null, row.second.variant), ` ${format(row.second.value / row.value)}x`]
            : '–',
      },
      {
        title: 'of variants',
        value: (row) => row.variants,
        show: (row) => row.variants,
        number: true,
      },
    ],
  });
}

function readingColumn(speeds) {
  return speeds.some((speed) => speed.reading !== null)
    ? [
        {
          title: 'against reading only',
          value: (row) => row.reading && row.value / row.reading,
          show: (row) => (row.reading ? `${format(row.value / row.reading)}x` : '–'),
          number: true,
        },
      ]
    : [];
}

function implementationSection(facts, name, speeds) {
  const about = facts.implementations[name] || {title: name, source: '', kind: ''};
  const wins = new Set(
    speeds.filter((speed) => speed.value === speed.fastest).map((speed) => speed.point),
  ).size;
  const points = new Set(speeds.map((speed) => speed.point)).size;
  const box = el('div');
  const details = el(
    'details',
    {
      class: 'impl',
      id: `impl-${name}`,
      ontoggle: () => {
        if (!details.open || box.firstChild) return;
        box.append(
          dataTable({
            id: `impl-${name}`,
            caption: `Times of ${name}`,
            rows: speeds,
            noun: 'times',
            head: 1,
            columns: [
              {
                title: 'variant',
                value: (row) => row.variant,
                show: (row) => el('code', null, row.variant),
              },
              workloadColumn(),
              documentsColumn(),
              ...speedColumns(),
              {
                title: 'against the fastest',
                value: (row) => row.value / row.fastest,
                show: shareBar,
                number: true,
              },
              ...readingColumn(speeds),
            ],
          }),
        );
      },
    },
    el(
      'summary',
      null,
      el('strong', null, about.title),
      ' ',
      el('code', null, name),
      ' ',
      el(
        'span',
        {class: 'soft'},
        `${sourceOf(about.source)}; fastest on ${wins} of ${points} workloads`,
      ),
    ),
    box,
  );
  return details;
}

function implementationsSection(facts) {
  const {speeds, winners} = compareSpeeds(facts);
  const names = [...new Set(speeds.map((speed) => speed.impl))];
  return [
    el(
      'p',
      null,
      'Times are geometric means over trials. With one trial, the interval is that of the ' +
        'median of its rounds. Variants of the same workload were measured on the same ' +
        'documents.',
    ),
    el('h3', null, 'The fastest on each workload'),
    el(
      'p',
      null,
      'These are batches of all documents. For a few documents per call, see ',
      el('a', {href: '#map'}, 'the map'),
      '.',
    ),
    el(
      'p',
      {class: 'soft'},
      'In a tie, the intervals of the fastest and of the next implementation overlap.',
    ),
    winnersSection(winners),
    el('h3', null, 'Each implementation'),
    el(
      'p',
      {class: 'soft'},
      '“Reading only” is rowscan, which reads every feature of the documents once and ' +
        'scores nothing.',
    ),
    names.map((name) =>
      implementationSection(
        facts,
        name,
        speeds.filter((speed) => speed.impl === name),
      ),
    ),
  ];
}
