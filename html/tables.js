// A table that is sorted by its headers, filtered by words and choices, and shown in pages.
//
// columns: {title, value: row => what sorts, show: row => node or text, text: row => what is
// searched (default: the value), number: true for numbers, wide, sorts: false if the header does
// not sort}
// choices: {name, label (default: the name), values, of: row => one value or a list}
// page: how many rows are shown at first (default: PAGE)
// detail: row => node that opens below the row, or null

const PAGE = 100;

function compareValues(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', {numeric: true});
}

// "1,000" finds 1000, and no word finds a part of a number.
function wordTest(text) {
  const word = text.toLowerCase().replace(/(\d),(?=\d{3})/g, '$1');
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `${/^\d/.test(word) ? '(?<![\\d.])' : ''}${escaped}${/\d$/.test(word) ? '(?![\\d.])' : ''}`,
  );
}

function dataTable(options) {
  const state = {column: null, down: false, words: '', chosen: {}, shown: options.page || PAGE};
  const {columns, rows, id, noun} = options;
  const haystacks = new Map(
    rows.map((row) => [
      row,
      columns
        .map((column) => String((column.text || column.value)(row) ?? ''))
        .join(' ')
        .toLowerCase(),
    ]),
  );
  const body = el('tbody'),
    count = el('p', {class: 'count', role: 'status'});
  const more = el(
    'button',
    {
      type: 'button',
      class: 'more',
      onclick: () => {
        state.shown += 5 * PAGE;
        draw();
      },
    },
    'Show more',
  );

  const matches = (row, tests) =>
    tests.every((test) => test.test(haystacks.get(row))) &&
    (options.choices || []).every(
      (choice) =>
        !state.chosen[choice.name] || [choice.of(row)].flat().includes(state.chosen[choice.name]),
    );

  function rowNodes(row) {
    const cells = columns.map((column, i) =>
      el(
        i === (options.head ?? 0) ? 'th' : 'td',
        {
          scope: i === (options.head ?? 0) ? 'row' : null,
          'data-label': column.title,
          class:
            [column.number && 'number', column.wide && 'wide'].filter(Boolean).join(' ') || null,
        },
        column.show(row),
      ),
    );
    const line = el('tr', null, cells);
    const detail = options.detail?.(row);
    if (!detail) return [line];
    const below = el('tr', {class: 'detail', hidden: true}, el('td', {colspan: columns.length}));
    const button = el(
      'button',
      {
        type: 'button',
        class: 'open',
        'aria-expanded': 'false',
        onclick: () => {
          below.hidden = !below.hidden;
          button.setAttribute('aria-expanded', String(!below.hidden));
          if (!below.firstChild.firstChild) below.firstChild.append(detail());
        },
      },
      'samples',
    );
    cells[cells.length - 1].append(' ', button);
    return [line, below];
  }

  function draw() {
    const tests = state.words.split(/\s+/).filter(Boolean).map(wordTest);
    let found = rows.filter((row) => matches(row, tests));
    if (state.column) {
      const sign = state.down ? -1 : 1;
      found = [...found].sort((a, b) => {
        const x = state.column.value(a),
          y = state.column.value(b);
        return x === null || y === null ? compareValues(x, y) : sign * compareValues(x, y);
      });
    }
    body.replaceChildren(...found.slice(0, state.shown).flatMap(rowNodes));
    const shown = Math.min(found.length, state.shown);
    count.textContent =
      `${found.length} of ${rows.length} ` +
      `${noun}${shown < found.length ? `; the first ${shown} are shown` : ''}`;
    more.hidden = shown >= found.length;
  }

  const heads = columns.map((column) => {
    const cell = el('th', {scope: 'col', class: column.number ? 'number' : null});
    if (column.sorts === false) {
      cell.append(column.title);
      return cell;
    }
    cell.append(
      el(
        'button',
        {
          type: 'button',
          onclick: () => {
            state.down = state.column === column && !state.down;
            state.column = column;
            for (const other of heads) other.removeAttribute('aria-sort');
            cell.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
            draw();
          },
        },
        column.title,
      ),
    );
    return cell;
  });
  const search = el('input', {
    type: 'search',
    id: `${id}-words`,
    autocomplete: 'off',
    oninput: () => {
      state.words = search.value;
      state.shown = options.page || PAGE;
      draw();
    },
  });
  const selects = (options.choices || []).map((choice) => {
    const select = el(
      'select',
      {
        id: `${id}-${choice.name}`,
        onchange: () => {
          state.chosen[choice.name] = select.value;
          state.shown = options.page || PAGE;
          draw();
        },
      },
      el('option', {value: ''}, 'all'),
      choice.values.map((value) => el('option', {value}, value)),
    );
    return el('label', null, choice.label || choice.name, ' ', select);
  });
  const table = el(
    'table',
    {class: 'data', id: `${id}-table`},
    el('caption', {class: 'hidden'}, options.caption),
    el('thead', null, el('tr', null, heads)),
    body,
  );
  draw();
  return el(
    'div',
    {class: 'table'},
    el('div', {class: 'tools'}, el('label', null, 'filter ', search), selects, count),
    el(
      'div',
      {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': options.caption},
      table,
    ),
    more,
  );
}

// --- rows, implementations, workloads --------------------------------------------------------

function objects(table) {
  return table.lines.map((line) =>
    Object.fromEntries(table.columns.map((column, i) => [column, line[i]])),
  );
}

function samplesPlot(row) {
  const samples = row.samples,
    low = Math.min(...samples),
    high = Math.max(...samples),
    span = high - low || 1;
  const at = (value) => 10 + (580 * (value - low)) / span;
  return el(
    'div',
    {class: 'samples'},
    svg(
      'svg',
      {
        viewBox: '0 0 600 34',
        role: 'img',
        'aria-label': `${samples.length} samples from ${duration(low)} to ${duration(high)}`,
      },
      svg('line', {class: 'axis', x1: 10, x2: 590, y1: 24, y2: 24}),
      row.low !== null &&
        svg('rect', {
          class: 'inside',
          x: at(Math.max(low, row.low)),
          width: Math.max(1, at(Math.min(high, row.high)) - at(Math.max(low, row.low))),
          y: 8,
          height: 16,
        }),
      svg('line', {class: 'bound', x1: at(row.median), x2: at(row.median), y1: 4, y2: 24}),
      samples.map((sample) => svg('circle', {cx: at(sample), cy: 16, r: 3.2})),
    ),
    el(
      'p',
      {class: 'soft'},
      `${samples.length} rounds, ns per document: ${samples.map(format).join(', ')}. Cell ` +
        `${row.cell} of rows.jsonl. The line is the median, the area its 95 % interval.`,
    ),
  );
}

function withOrigins(text, origins) {
  return [text, ' ', originBadges(origins)];
}

function documentsColumn() {
  return {
    title: 'documents',
    value: (row) => row.documents,
    show: (row) => row.documents.toLocaleString('en'),
    number: true,
  };
}

// A column for each field that has a title in the table of a row's fields and is known of any row.
function titledColumns(titled, rows) {
  const texts = {bytes, ns: duration},
    isKnown = (value) => value !== null && value !== '';
  return titled
    .filter(({name}) => rows.some((row) => isKnown(row[name])))
    .map(({name, title, unit, number}) => ({
      title,
      value: (row) => row[name],
      show: (row) =>
        !isKnown(row[name]) ? '–' : number ? (texts[unit] || format)(row[name]) : row[name],
      number,
    }));
}

function rowsSection(facts) {
  const rows = objects(facts.rows),
    names = facts.artefacts.map((artefact) => artefact.name);
  return dataTable({
    id: 'rows',
    caption: 'All rows of the run',
    rows,
    noun: 'rows',
    head: 0,
    detail: (row) => (row.samples?.length ? () => samplesPlot(row) : null),
    choices: [
      {name: 'artefact', values: names, of: (row) => row.artefacts.split(' ')},
      {
        name: 'status',
        values: [...new Set(rows.map((row) => row.status))],
        of: (row) => row.status,
      },
      {
        name: 'data',
        values: ['real', ...Object.keys(ORIGINS)],
        of: (row) => (row.origin.length ? row.origin : 'real'),
      },
    ],
    columns: [
      {title: 'variant', value: (row) => row.variant, show: (row) => el('code', null, row.variant)},
      {
        title: 'workload',
        value: (row) => row.point,
        text: (row) => `${row.point} ${row.origin.join(' ')} ${row.note}`,
        show: (row) => withOrigins(row.point, row.origin),
      },
      documentsColumn(),
      {
        title: 'per call',
        value: (row) => row.call || row.documents,
        show: (row) => (row.call ? row.call.toLocaleString('en') : 'all'),
        number: true,
      },
      {title: 'trial', value: (row) => row.trial, show: (row) => row.trial, number: true},
      {title: 'order', value: (row) => row.order, show: (row) => row.order},
      {title: 'threads', value: (row) => row.threads, show: (row) => row.threads, number: true},
      ...titledColumns(facts.rows.titled, rows),
      {
        title: 'time per document',
        value: (row) => row.median,
        text: (row) => `${row.status} ${row.reason}`,
        number: true,
        show: (row) =>
          row.status === 'ok' ? duration(row.median) : `${row.status}: ${row.reason}`,
      },
      {
        title: '95 % interval',
        value: (row) => row.low,
        text: (row) => row.artefacts,
        number: true,
        show: (row) => interval(row.low, row.high, duration),
      },
    ],
  });
}
