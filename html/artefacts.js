// A section for each artefact: the figure, the claims, and the tables of its report.

// What the numbers of others are, in short and in the legend. Published latencies are of none of
// the series.
function papersWords(artefact) {
  return artefact.measure === 'latency'
    ? {
        short: 'published',
        long: 'published; another machine and other trees',
        numbers: 'published ones',
        colour: 'currentColor',
      }
    : {
        short: 'paper',
        long: 'the paper’s number, in the colour of its series',
        numbers: 'the paper’s',
        colour: null,
      };
}

// Groups the lines of NAME.csv into panels with series. The paper's times may be of operands that
// the figure does not draw, such as the best variant of a family. They become series of their own.
function panelsOf(artefact) {
  const lines = objects(artefact.points),
    isSpeedups = artefact.figure === 'speedups';
  const papers = isSpeedups
    ? []
    : artefact.papers.map(([panel, x, operand, title, paper, value, low, high]) => ({
        panel: panel + 1,
        x,
        operand,
        title,
        paper,
        value,
        low,
        high,
      }));
  const drawn = new Set(lines.map((line) => line.variant));
  const seriesKey = (line) =>
    isSpeedups && line.v !== null ? `${line.series}.${line.v}` : String(line.series);
  const keys = [...new Set(lines.map(seriesKey))];
  const others = [
    ...new Set(papers.map((one) => one.operand).filter((operand) => !drawn.has(operand))),
  ];
  const pointOf = (line, paper) => ({
    value: line ? line.value : null,
    low: line ? line.low : null,
    high: line ? line.high : null,
    paper: paper ? paper.paper : null,
  });
  return [...new Set(lines.map((line) => line.panel))].map((number) => {
    const here = lines.filter((line) => line.panel === number),
      printed = papers.filter((one) => one.panel === number);
    const xs = [...new Set(here.map((line) => line.x))].sort((a, b) => a - b);
    const series = keys
      .filter((key) => here.some((line) => seriesKey(line) === key))
      .map((key) => {
        const own = here.filter((line) => seriesKey(line) === key);
        return {
          number: keys.indexOf(key),
          label: String(isSpeedups && own[0].note ? own[0].note : own[0].label),
          points: xs.map((x) =>
            pointOf(
              own.find((line) => line.x === x),
              printed.find((one) => one.x === x && one.operand === own[0].variant) ??
                own.find((line) => line.x === x),
            ),
          ),
        };
      });
    for (const operand of others) {
      const own = printed.filter((one) => one.operand === operand);
      if (own.length)
        series.push({
          number: keys.length + others.indexOf(operand),
          label: own[0].title,
          points: xs.map((x) => own.find((one) => one.x === x)).map((one) => pointOf(one, one)),
        });
    }
    return {
      title: String(here[0].title),
      unit: String(here[0].unit).replace(/^us /, 'µs '),
      axis: artefact.measure === 'latency' ? here[0].axis : artefact.axis,
      papers: papersWords(artefact),
      xs,
      series,
      isBars: artefact.figure === 'bars' || artefact.figure === '',
      origin: isSpeedups ? [] : (artefact.panels[number - 1] || {origin: []}).origin,
      trees: isSpeedups ? null : (artefact.panels[number - 1] || {trees: null}).trees,
    };
  });
}

const lookOfLabel = new Map();

// A series has the colour and the marker that its label got first on the page, unless another
// series of the figure has them.
function looksOf(panels) {
  const looks = new Map(),
    taken = new Set(),
    colours = new Set();
  const count = new Set(panels.flatMap((panel) => panel.series.map((one) => one.number))).size;
  const clashes = (look) => taken.has(look) || (count <= COLOURS && colours.has(look % COLOURS));
  for (const one of panels.flatMap((panel) => panel.series)) {
    if (looks.has(one.number)) continue;
    let look = lookOfLabel.get(one.label) ?? lookOfLabel.size;
    while (clashes(look)) look++;
    if (!lookOfLabel.has(one.label)) lookOfLabel.set(one.label, look);
    looks.set(one.number, look);
    taken.add(look);
    colours.add(look % COLOURS);
  }
  return looks;
}

// Artefacts that are tables in their paper have no figure of their own: theirs shows what the
// paper's table has. A series without a number at any point would only fill the legend. What is
// left gets its looks.
function keepSeries(artefact, panels) {
  const has = (test) =>
    new Set(
      panels.flatMap((panel) =>
        panel.series.filter((one) => one.points.some(test)).map((one) => one.number),
      ),
    );
  const any = has((point) => point.value !== null || point.paper !== null),
    printed = has((point) => point.paper !== null);
  const used = [...(artefact.figure === '' && printed.size ? printed : any)].sort((a, b) => a - b);
  for (const panel of panels)
    panel.series = panel.series.filter((one) => used.includes(one.number));
  const looks = looksOf(panels);
  for (const one of panels.flatMap((panel) => panel.series)) one.number = looks.get(one.number);
  return printed.size > 0;
}

function figureOf(artefact) {
  if (!artefact.points || artefact.points.lines.length === 0) return null;
  const panels = panelsOf(artefact),
    hasPaper = keepSeries(artefact, panels),
    isLog = panels.some(spansDecade);
  const legend = new Map(panels.flatMap((panel) => panel.series.map((one) => [one.number, one])));
  if (legend.size === 0) return null;
  for (const panel of panels) panel.isLog = isLog;
  return el(
    'div',
    {class: 'figure'},
    plotLegend([...legend.values()], panels[0], hasPaper),
    el('div', {class: 'panels'}, panels.map(plotPanel)),
    el(
      'p',
      {class: 'soft'},
      artefact.measure === 'latency'
        ? 'Percentiles are proven with a confidence of 0.99. '
        : 'Marks are our numbers, with 95 % intervals. An arrow marks an interval that extends ' +
            'beyond the axis. ',
      'Point at a panel, or focus it and press the arrow keys, to read the values.',
    ),
  );
}

// --- the report's text -----------------------------------------------------------------------

function tableCell(text, isFirst) {
  if (isFirst) return el('th', {scope: 'row'}, rich(text));
  const match = text.match(/^(.*?)(\s*\[[^\]]*\])(.*)$/);
  const content = match
    ? [rich(match[1]), el('span', {class: 'soft'}, match[2]), match[3]]
    : rich(text);
  return el('td', {class: /^[-–]?[\d.]/.test(text) ? 'number' : null}, content);
}

function isNumber(block, column) {
  return block.rows.some((row) => /^[-–]?[\d.]/.test(row[column] || ''));
}

function tableBlock(block, title) {
  return el(
    'div',
    {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title},
    el(
      'table',
      {class: 'numbers'},
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          block.head.map((text, i) =>
            text
              ? el(
                  'th',
                  {scope: 'col', class: i > 0 && isNumber(block, i) ? 'number' : null},
                  rich(text),
                )
              : el('td'),
          ),
        ),
      ),
      el(
        'tbody',
        null,
        block.rows.map((row) =>
          el(
            'tr',
            null,
            row.map((text, i) => tableCell(text, i === 0)),
          ),
        ),
      ),
    ),
  );
}

// The blocks of the report, by section. Machine and claims have their own places on this page.
function sectionsOf(artefact) {
  const sections = [{title: '', blocks: []}];
  for (const block of artefact.text) {
    if (block.kind === 'heading' && block.level === 1) continue;
    if (block.kind === 'heading' && block.level === 2)
      sections.push({title: block.text, blocks: []});
    else sections[sections.length - 1].blocks.push(block);
  }
  return sections.filter((section) => section.title !== 'Machine' && section.title !== 'Claims');
}

function blockNode(block, state, name) {
  if (block.kind === 'heading') {
    state.title = block.text;
    return el('h6', null, rich(block.text));
  }
  if (block.kind === 'table') return tableBlock(block, `${labelOf(name)}: ${state.title}`);
  if (block.kind === 'list')
    return el(
      'ul',
      null,
      block.items.map((item) => el('li', null, rich(item))),
    );
  if (/^!\[|^Plotted numbers:|^Source: /.test(block.text)) return null;
  return el('p', null, rich(block.text));
}

function numbersOf(artefact) {
  const state = {title: 'numbers'},
    nodes = [],
    remarks = [];
  for (const section of sectionsOf(artefact)) {
    const target = section.blocks.some((block) => block.kind === 'table' || block.kind === 'list')
      ? nodes
      : remarks;
    for (const block of section.blocks) target.push(blockNode(block, state, artefact.name));
  }
  const tables = nodes.filter(Boolean),
    words = remarks.filter(Boolean);
  return [
    tables.length
      ? el(
          'details',
          {class: 'fold', open: !artefact.points},
          el('summary', null, `Numbers, ours beside ${papersWords(artefact).numbers}`),
          tables,
        )
      : null,
    words.length
      ? el('details', {class: 'fold'}, el('summary', null, 'How it was measured'), words)
      : null,
  ];
}

// Artefacts without times have no rows: their claims say what is not real.
function originsOf(artefact) {
  const found = new Set([...artefact.panels, ...artefact.claims].flatMap(({origin}) => origin));
  return Object.keys(ORIGINS).filter((origin) => found.has(origin));
}

function sourceText(artefact) {
  const source = artefact.text.find(
    (block) => block.kind === 'paragraph' && block.text.startsWith('Source: '),
  );
  return source ? source.text : `Source: ${artefact.source}.`;
}

function tallyText(counts) {
  return (
    VERDICTS.filter((verdict) => counts[verdict])
      .map((verdict) => `${counts[verdict]} ${verdict}`)
      .join(', ') || 'no claims'
  );
}

function artefactSection(artefact) {
  const counts = countVerdicts(artefact.claims);
  return el(
    'section',
    {class: 'artefact', id: artefact.name, 'aria-labelledby': `${artefact.name}--title`},
    el(
      'h4',
      {id: `${artefact.name}--title`},
      el('span', {class: 'label'}, `${paperOf(artefact.name)} ${labelOf(artefact.name)}`),
      ' ',
      artefact.title,
    ),
    el('p', {class: 'soft'}, rich(sourceText(artefact)), ' ', originBadges(originsOf(artefact))),
    figureOf(artefact),
    artefact.claims.length
      ? [
          el('h5', null, `Claims: ${tallyText(counts)}`),
          el(
            'ul',
            {class: 'claims'},
            artefact.claims.map((claim) => claimItem(artefact, claim)),
          ),
        ]
      : null,
    numbersOf(artefact),
  );
}
