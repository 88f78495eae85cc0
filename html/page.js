// The page: what ran where, and the sections.

function when(text) {
  return text ? text.replace('T', ' ').replace('Z', ' UTC') : 'unknown';
}

function machineBox(facts) {
  const run = facts.manifest,
    cpu = run.cpu || {},
    build = run.build || {};
  const asked = run.cells,
    origins = Object.entries(run.data || {});
  const items = [
    ['Processor', `${cpu.model || 'unknown'}${cpu.hypervisor ? ' (virtual machine)' : ''}`],
    [
      'Cores, caches',
      `${cpu.cores ?? '?'} cores; L1d ${bytes(cpu.l1d_bytes)}, L2 ${bytes(cpu.l2_bytes)}, ` +
        `L3 ${bytes(cpu.l3_bytes)}`,
    ],
    ['Instructions', cpu.features],
    ['Memory, kernel', `${bytes(run.memory_bytes)}; ${run.kernel || 'unknown kernel'}`],
    ['Compiler', build.compiler],
    [
      'Commit',
      build.commit
        ? [
            el('code', null, build.commit.slice(0, 12)),
            build.dirty ? ' with uncommitted changes' : '',
          ]
        : null,
    ],
    ['Libraries', Object.values(run.libraries || {}).join('; ')],
    [
      'Started',
      when(run.started) +
        (run.parts ? `; merged from ${run.parts} parts, whose first this is` : ''),
    ],
    ['Scale', `${run.scale}; clock: ${run.clock}`],
    [
      'Measured',
      `${facts.cells}${asked ? ` of ${asked}` : ''} cells, ` +
        `${facts.rows.lines.length.toLocaleString('en')} rows`,
    ],
    [
      'Load before',
      typeof run.load === 'number' ? `${run.load.toFixed(2)} of ${cpu.cores} cores` : null,
    ],
    ['Counters', textOf(run, 'counters', 'source')],
    [
      'Doctor',
      (textOf(run, 'doctor', 'findings') || [])
        .filter((one) => one.level === 'warning' || one.level === 'missing')
        .map((one) => el('div', null, `${one.name}: ${one.text}`)),
    ],
    ['Flags', build.flags ? el('code', null, build.flags.trim()) : null],
    [
      'Data sets',
      origins.length
        ? el(
            'ul',
            {class: 'inline'},
            origins.map(([name, origin]) =>
              el(
                'li',
                null,
                name,
                ' ',
                origin === 'real'
                  ? el('span', {class: 'soft'}, 'real')
                  : el('span', {class: 'origin'}, origin),
              ),
            ),
          )
        : null,
    ],
  ];
  return el(
    'section',
    {id: 'machine', 'aria-labelledby': 'machine-title'},
    el('h2', {id: 'machine-title'}, 'What ran where'),
    facts.artefacts.length
      ? el(
          'p',
          null,
          'treebench scored documents with ensembles of decision trees on this machine as ' +
            'the papers did, timed each way of scoring, and judged the papers’ claims by ' +
            'these times.',
        )
      : null,
    cautions(facts).map((text) => el('p', {class: 'warning'}, el('strong', null, 'Note: '), text)),
    el(
      'dl',
      {class: 'box'},
      items
        .filter(([, value]) => value && value.length !== 0)
        .map(([name, value]) =>
          el(
            'div',
            {class: ['Flags', 'Doctor'].includes(name) || name === 'Data sets' ? 'full' : null},
            el('dt', null, name),
            el('dd', null, value),
          ),
        ),
    ),
    unrealSection(facts),
    notReproduced(facts),
  );
}

// What a reader should know before any number, in one sentence each.
function cautions(facts) {
  const run = facts.manifest,
    cores = textOf(run, 'cpu', 'cores');
  return [
    ...facts.warnings,
    run.load > 0.5 * cores
      ? `Other programs were running just before the run (load ${run.load.toFixed(2)} on ` +
        `${cores} cores). If they went on, times are too long.`
      : null,
  ].filter(Boolean);
}

const UNREAL_SETS = {
  'stand-in': 'made-up stand-ins for',
  sample: 'only samples or parts of',
  missing: 'not measured, because the data are missing:',
};

// Which data and models were not real, and in which figures and tables.
function unrealSection(facts) {
  const sets = Object.entries(facts.manifest.data || {});
  const lines = Object.entries(UNREAL_SETS)
    .map(([origin, words]) => [words, sets.filter(([, of]) => of === origin).map(([name]) => name)])
    .filter(([, names]) => names.length);
  const where = (origin) =>
    facts.artefacts.filter((artefact) => originsOf(artefact).includes(origin));
  const ofMap = (origin) => facts.map?.origin.includes(origin);
  const marks = Object.entries(ORIGINS)
    .map(([origin, meaning]) => [origin, meaning, where(origin)])
    .filter(([origin, , artefacts]) => artefacts.length || ofMap(origin));
  if (lines.length + marks.length === 0)
    return el('p', {id: 'unreal'}, 'All data and models are real.');
  const link = (artefact, i) => [
    i ? ', ' : '',
    el('a', {href: `#${artefact.name}`}, `${paperOf(artefact.name)} ${labelOf(artefact.name)}`),
  ];
  return el(
    'div',
    {id: 'unreal'},
    el('h3', null, 'Data and models that are not real'),
    lines.length
      ? el(
          'p',
          null,
          `Data sets: ${lines.map(([words, names]) => `${words} ${names.join(', ')}`).join('; ')}.`,
          sets.some(([, of]) => of === 'real') ? ' The others are real.' : null,
        )
      : null,
    marks.length
      ? el(
          'table',
          {class: 'numbers wrap'},
          el(
            'thead',
            null,
            el(
              'tr',
              null,
              ['mark', 'meaning', 'in'].map((text) => el('th', {scope: 'col'}, text)),
            ),
          ),
          el(
            'tbody',
            null,
            marks.map(([origin, meaning, artefacts]) =>
              el(
                'tr',
                null,
                el('th', {scope: 'row'}, originBadges([origin])),
                el('td', null, meaning),
                el(
                  'td',
                  null,
                  artefacts.map(link),
                  ofMap(origin)
                    ? [artefacts.length ? ', ' : '', el('a', {href: '#map'}, 'the map')]
                    : null,
                ),
              ),
            ),
          ),
        )
      : null,
  );
}

// What of the run's papers is not reproduced, in one line each. A map has none.
function notReproduced(facts) {
  const entries = facts.not_reproduced || [];
  const line = (entry) =>
    el(
      'li',
      null,
      el('strong', null, `${entry.paper}, ${entry.where}`),
      ': ',
      rich(entry.what),
      ' ',
      el('span', {class: 'soft'}, '(', rich(entry.why), ')'),
    );
  if (entries.length === 0) return null;
  return el(
    'div',
    {id: 'not-reproduced'},
    el('h3', null, 'Not reproduced'),
    el('p', null, rich('`docs/not-reproduced.md` describes what each would take.')),
    el('div', {class: 'box'}, el('ul', {class: 'full'}, entries.map(line))),
  );
}

// --- the frame -------------------------------------------------------------------------------

// The choice is kept only while the page is open, because files have no storage of their own.
function themeButton() {
  const themes = ['auto', 'light', 'dark'];
  let now = 0;
  const button = el(
    'button',
    {
      type: 'button',
      class: 'theme',
      onclick: () => {
        now = (now + 1) % themes.length;
        document.documentElement.dataset.theme = themes[now];
        button.textContent = `Theme: ${themes[now]}`;
      },
    },
    'Theme: auto',
  );
  return button;
}

function frame(facts) {
  const run = facts.manifest;
  const papers = [
    ['scoreboard', 'Scoreboard'],
    ['changes', 'Changes'],
    ['claims', 'Claims'],
    ['papers', 'Papers'],
    ['map', 'Fastest (map)'],
    ['implementations', 'Implementations'],
  ];
  const links = [
    ...(facts.artefacts.length ? papers : [['map', 'Map']]),
    ['rows', 'Rows'],
    ['words', 'Words'],
  ].filter(([id]) => id !== 'changes' || facts.other);
  document.title = `treebench: ${facts.name}`;
  document.getElementById('top').append(
    el(
      'div',
      {class: 'bar'},
      el('h1', null, 'treebench ', el('span', null, facts.name)),
      el(
        'nav',
        {'aria-label': 'Sections'},
        links.map(([id, text]) => el('a', {href: `#${id}`}, text)),
      ),
      themeButton(),
    ),
  );
  document
    .getElementById('foot')
    .append(
      el(
        'p',
        {class: 'soft'},
        `Made by treebench report from the stored rows of a run at scale ${run.scale} on ` +
          `${textOf(run, 'cpu', 'model') || 'an unknown processor'}, ${when(run.started)}.`,
      ),
    );
}

function section(id, title, ...content) {
  return el(
    'section',
    {id, 'aria-labelledby': `${id}-title`},
    el('h2', {id: `${id}-title`}, title),
    content,
  );
}

function paperSections(facts) {
  const papers = groupBy(facts.artefacts, (artefact) => paperOf(artefact.name));
  const link = (artefact) =>
    el(
      'li',
      null,
      el('a', {href: `#${artefact.name}`}, labelOf(artefact.name)),
      ' ',
      el('span', {class: 'soft'}, artefact.title),
    );
  return papers.map((artefacts) => {
    const paper = paperOf(artefacts[0].name);
    return [
      el('h3', {id: `paper-${paper}`, class: 'paper'}, paper),
      PAPERS[paper] ? el('p', null, PAPERS[paper]) : null,
      el('ul', {class: 'contents'}, artefacts.map(link)),
      artefacts.map(artefactSection),
    ];
  });
}

// Links may point into a part that is folded.
function unfold() {
  const target =
    location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement)
    if (node.tagName === 'DETAILS') node.open = true;
  if (target) target.scrollIntoView();
}

// A map has no artefacts. Most of its times were only screened, so they are not compared here.
function sections(facts) {
  const map = [facts.map ? mapSection(facts) : noMapSection()];
  if (facts.artefacts.length === 0) return map;
  return [
    section(
      'claims',
      'Claims',
      el(
        'p',
        null,
        'Each row is a claim of a paper. “Required” is what every value must satisfy. The ' +
          'worst value is the one that misses it by most; if none does, the one that comes ' +
          'closest to missing it. A value A / B is the time of A divided by that of B, so ' +
          'above 1 means that A is slower. A claim is judged at several points, such as data ' +
          'sets and sizes of models. It holds, fails or is open (unresolved) at each. Unless ' +
          'it is about most cases, one point that fails makes it “not held”.',
      ),
      claimsSection(facts),
    ),
    section('papers', 'Papers', paperSections(facts)),
    ...map,
    section('implementations', 'Implementations', implementationsSection(facts)),
  ];
}

function parseFiles(facts) {
  for (const one of [...facts.artefacts, facts.map].filter(Boolean)) {
    if (one.text) one.text = blocksOf(one.text);
    if (one.points) one.points = tableOf(one.points);
  }
}

function main() {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  parseFiles(facts);
  VERDICTS.push(...facts.verdicts);
  frame(facts);
  document
    .getElementById('main')
    .replaceChildren(
      machineBox(facts),
      ...(facts.artefacts.length ? [scoreboard(facts)] : []),
      ...(facts.other ? [changesSection(facts)] : []),
      ...sections(facts),
      section(
        'rows',
        'Rows',
        el(
          'p',
          null,
          'Every measured row. The filter keeps the rows that contain all of its words.',
        ),
        rowsSection(facts),
      ),
      wordsSection(),
    );
  addEventListener('hashchange', unfold);
  addEventListener('scroll', hideTip, {passive: true});
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details.fold')) fold.open = true;
    document.querySelector('#claims .more')?.click();
  });
  unfold();
}

main();
