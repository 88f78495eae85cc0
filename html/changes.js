// What changed between this run and the run that it is compared with.

const CHANGES = {slower: '▲', faster: '▼', 'not resolved': '·'};
const CHANGE_CLASS = {slower: 'v-not-held', faster: 'v-held', 'not resolved': 'v-not-measured'};

function changeChip(change) {
  return el(
    'span',
    {class: `chip ${CHANGE_CLASS[change]}`},
    el('span', {class: 'sign', 'aria-hidden': 'true'}, CHANGES[change]),
    change,
  );
}

// The facts in which the two runs differ.
function differences(here, there) {
  const facts = [
    ['processor', (run) => textOf(run, 'cpu', 'model')],
    ['cores', (run) => textOf(run, 'cpu', 'cores')],
    ['L3', (run) => bytes(textOf(run, 'cpu', 'l3_bytes'))],
    ['kernel', (run) => run.kernel],
    ['compiler', (run) => textOf(run, 'build', 'compiler')],
    ['flags', (run) => textOf(run, 'build', 'flags')],
    ['commit', (run) => textOf(run, 'build', 'commit')],
    ['scale', (run) => run.scale],
    ['clock', (run) => run.clock],
    ['started', (run) => when(run.started)],
    ['load before', (run) => (typeof run.load === 'number' ? run.load.toFixed(2) : null)],
    [
      'data sets',
      (run) =>
        Object.entries(run.data || {})
          .map((pair) => pair.join(' '))
          .join(', '),
    ],
  ];
  return facts
    .map(([name, of]) => [name, of(here), of(there)])
    .filter(([, a, b]) => String(a) !== String(b));
}

function differencesTable(facts) {
  const differ = differences(facts.manifest, facts.other.manifest);
  return el(
    'div',
    {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'How the runs differ'},
    el(
      'table',
      {class: 'numbers wrap'},
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          ['', `here: ${facts.name}`, `there: ${facts.other.name}`].map((text) =>
            text ? el('th', {scope: 'col'}, text) : el('td'),
          ),
        ),
      ),
      el(
        'tbody',
        null,
        differ.map(([name, a, b]) =>
          el(
            'tr',
            null,
            el('th', {scope: 'row'}, name),
            el('td', null, String(a ?? 'unknown')),
            el('td', null, String(b ?? 'unknown')),
          ),
        ),
      ),
    ),
  );
}

function verdictChanges(facts) {
  const changed = facts.artefacts
    .flatMap((artefact) =>
      (artefact.others || []).map((other) => {
        const claim = artefact.claims.find((one) => one.id === other.id);
        return claim && claim.verdict !== other.verdict ? {artefact, claim, other} : null;
      }),
    )
    .filter(Boolean);
  if (changed.length === 0) return el('p', null, 'No verdict changed.');
  return el(
    'ul',
    {class: 'claims'},
    changed.map(({artefact, claim, other}) =>
      el(
        'li',
        {class: `claim ${verdictClass(claim.verdict)}`},
        el(
          'p',
          {class: 'words'},
          verdictChip(claim.verdict),
          ' here, ',
          verdictChip(other.verdict),
          ' there: ',
          el(
            'a',
            {href: `#${artefact.name}--${claim.id}`},
            `${paperOf(artefact.name)} ${labelOf(artefact.name)}`,
          ),
          ' ',
          claim.words,
        ),
        el('p', {class: 'measured'}, 'There: ', other.measured),
      ),
    ),
  );
}

function timesTable(changes) {
  return dataTable({
    id: 'changes',
    caption: 'Times of both runs',
    rows: changes,
    noun: 'times',
    choices: [{name: 'change', values: Object.keys(CHANGES), of: (row) => row.change}],
    columns: [
      {title: 'variant', value: (row) => row.variant, show: (row) => el('code', null, row.variant)},
      workloadColumn(),
      {title: 'here', value: (row) => row.value, show: (row) => duration(row.value), number: true},
      {title: 'there', value: (row) => row.other, show: (row) => duration(row.other), number: true},
      {
        title: 'here / there',
        value: (row) => row.ratio,
        show: (row) => format(row.ratio),
        number: true,
      },
      {
        title: '95 % interval',
        value: (row) => row.low,
        show: (row) => interval(row.low, row.high),
        number: true,
      },
      {title: 'change', value: (row) => row.change, show: (row) => changeChip(row.change)},
    ],
  });
}

function changesSection(facts) {
  const {changes, missing, unlike} = facts.other;
  const counts = Object.keys(CHANGES).map(
    (change) => `${changes.filter((row) => row.change === change).length} ${change}`,
  );
  const left = [
    missing && `${missing} timings have no counterpart there`,
    unlike && `${unlike} were taken there on a different number of documents`,
  ].filter(Boolean);
  return section(
    'changes',
    `Changes against ${facts.other.name}`,
    el(
      'p',
      null,
      el('strong', null, `${changes.length} timings in both runs: ${counts.join(', ')}.`),
      left.length ? ` ${left.join('; ')}.` : '',
    ),
    differencesTable(facts),
    el('h3', null, 'Verdicts that changed'),
    verdictChanges(facts),
    el('h3', null, 'Times'),
    el(
      'p',
      {class: 'soft'},
      'A change is resolved if the 95 % interval of the ratio excludes 1. Rounds of two ' +
        'runs are not paired, so a drift of the machine between them counts as a change, and ' +
        'about 5 of 100 unchanged times are resolved by chance.',
    ),
    timesTable(changes),
  );
}
