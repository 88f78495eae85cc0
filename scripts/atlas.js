// The atlas: a line per workload, a column per machine. Times of different machines are not
// compared by ratios: each cell says who won there, and by how much.

const entries = JSON.parse(document.getElementById('facts').textContent);

function machineName(entry) {
  const cpu = entry.cpu || {};
  return `${cpu.model || 'unknown'}, ${cpu.cores || '?'} cores${cpu.hypervisor ? ', virtual' : ''}`;
}

function buildName(entry) {
  const build = entry.build || {};
  return (
    `${String(build.commit || 'unknown').slice(0, 10)}, scale ` +
    `${entry.scale}${entry.scale === 'smoke' ? ' (too few samples to judge)' : ''}`
  );
}

// Several runs of one build on a machine, such as those of the papers and a map, share a column.
const columns = groupBy(entries, (entry) => `${machineName(entry)} ${buildName(entry)}`).map(
  (runs) => ({...runs[0], workloads: runs.flatMap((run) => run.workloads)}),
);

function workloadKey(workload) {
  return `${workload.kind}: ${workload.where}, ${workload.documents} documents`;
}

function ratioText(ratio) {
  return `${format(ratio.value)} ${interval(ratio.low, ratio.high)}`;
}

// A second without an interval was so much slower that it was only screened.
function isTie(workload) {
  const low = workload.second_to_winner.low;
  return low !== null && low <= 1;
}

function cell(workload) {
  if (!workload) return el('td', null, '–');
  const chosen = workload.auto_to_winner;
  return el(
    'td',
    null,
    el('strong', null, workload.winner),
    ` ${duration(workload.ns_per_document)}`,
    el('br'),
    `${workload.second}: ${ratioText(workload.second_to_winner)} times as long`,
    isTie(workload) ? ' (a tie)' : '',
    chosen ? [el('br'), `auto: ${ratioText(chosen)} times as long`] : [],
  );
}

function table() {
  const keys = [...new Set(columns.flatMap((entry) => entry.workloads.map(workloadKey)))].sort();
  const byKey = columns.map((entry) => new Map(entry.workloads.map((w) => [workloadKey(w), w])));
  const note = (key) => byKey.map((map) => map.get(key)).find((w) => w).note;
  return el(
    'table',
    null,
    el(
      'caption',
      null,
      'The winner of each workload, its time per document, and how much longer the second takes',
    ),
    el(
      'thead',
      null,
      el(
        'tr',
        null,
        el('th', {scope: 'col'}, 'workload'),
        columns.map((entry) =>
          el('th', {scope: 'col'}, machineName(entry), el('br'), buildName(entry)),
        ),
      ),
    ),
    el(
      'tbody',
      null,
      keys.map((key) =>
        el(
          'tr',
          null,
          el('th', {scope: 'row'}, key, note(key) ? [el('br'), el('small', null, note(key))] : []),
          byKey.map((map) => cell(map.get(key))),
        ),
      ),
    ),
  );
}

// How many workloads each implementation won on each machine.
function summary() {
  const implOf = (workload) => workload.winner.split(',')[0];
  const names = [...new Set(columns.flatMap((entry) => entry.workloads.map(implOf)))];
  const wins = (name, entry) =>
    entry.workloads.filter((workload) => implOf(workload) === name).length;
  const total = (name) => columns.reduce((sum, entry) => sum + wins(name, entry), 0);
  return el(
    'table',
    {id: 'wins'},
    el('caption', null, 'How many workloads each implementation won, ties included'),
    el(
      'thead',
      null,
      el(
        'tr',
        null,
        el('th', {scope: 'col'}, 'implementation'),
        columns.map((entry) =>
          el(
            'th',
            {scope: 'col', class: 'number'},
            machineName(entry),
            el('br'),
            buildName(entry),
            el('br'),
            `${entry.workloads.length} workloads`,
          ),
        ),
      ),
    ),
    el(
      'tbody',
      null,
      names
        .sort((a, b) => total(b) - total(a))
        .map((name) =>
          el(
            'tr',
            null,
            el('th', {scope: 'row'}, el('code', null, name)),
            columns.map((entry) => el('td', {class: 'number'}, wins(name, entry))),
          ),
        ),
    ),
  );
}

document
  .getElementById('main')
  .replaceChildren(
    el('h1', null, 'The atlas: what is fastest where'),
    el(
      'p',
      null,
      `${entries.length} runs of ${columns.length} machines. A column is a machine and a ` +
        'build, and a line is a workload: a model and its documents. A cell names the fastest ' +
        'variant, its time per document, and how many times as long the second one takes, ' +
        'with its 95 % interval. In a tie, the second may be as fast, and its number may be ' +
        'below 1. A second without an interval was so much slower that it was timed only a ' +
        'few times. “–”: not measured there.',
    ),
    el(
      'div',
      {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'workloads won'},
      summary(),
    ),
    el(
      'div',
      {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'winners by machine'},
      table(),
    ),
  );
