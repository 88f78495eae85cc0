// The scoreboard: the claims of each paper by verdict, and links to its figures and tables.

// Choosing a verdict shows these claims in the list of all claims.
function showClaims(verdict, paper) {
  for (const [name, value] of [
    ['verdict', verdict],
    ['paper', paper],
  ]) {
    const select = document.getElementById(`claims-${name}`);
    select.value = value;
    select.dispatchEvent(new Event('change'));
  }
  document.getElementById('claims').scrollIntoView();
  document.getElementById(`claims-verdict`).focus({preventScroll: true});
}

function totals(facts) {
  const counts = countVerdicts(facts.artefacts.flatMap((artefact) => artefact.claims));
  return el(
    'ul',
    {class: 'totals'},
    VERDICTS.map((verdict) =>
      el(
        'li',
        null,
        el(
          'button',
          {type: 'button', class: verdictClass(verdict), onclick: () => showClaims(verdict, '')},
          el('span', {class: 'big'}, counts[verdict]),
          el('span', null, sign(verdict), verdict),
        ),
      ),
    ),
  );
}

function artefactTile(artefact) {
  const counts = countVerdicts(artefact.claims),
    all = artefact.claims.length;
  let from = 0;
  const bar = svg(
    'svg',
    {class: 'mini', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    VERDICTS.map((verdict) => {
      const width = all ? (100 * counts[verdict]) / all : 0;
      from += width;
      return width
        ? svg('rect', {
            class: verdictClass(verdict),
            x: from - width,
            width: Math.max(0, width - 1),
            height: 6,
          })
        : null;
    }),
  );
  return el(
    'li',
    null,
    el(
      'a',
      {
        href: `#${artefact.name}`,
        class: 'tile',
        title: artefact.title,
        'aria-label': `${labelOf(artefact.name)}: ${tallyText(counts)}`,
      },
      el('span', {class: 'name'}, labelOf(artefact.name)),
      all
        ? el(
            'span',
            {class: 'counts'},
            VERDICTS.filter((verdict) => counts[verdict]).map((verdict) =>
              el('span', null, sign(verdict), counts[verdict]),
            ),
          )
        : el('span', {class: 'soft'}, 'no claims'),
      all ? bar : null,
    ),
  );
}

function paperRow(paper, facts) {
  const mine = facts.artefacts.filter((artefact) => paperOf(artefact.name) === paper);
  const counts = countVerdicts(mine.flatMap((artefact) => artefact.claims));
  const tiles = [...mine].sort((a, b) => compareValues(a.name, b.name)).map(artefactTile);
  return el(
    'tr',
    null,
    el('th', {scope: 'row'}, el('a', {href: `#paper-${paper}`}, paper)),
    VERDICTS.map((verdict) =>
      el(
        'td',
        {class: 'number', 'data-label': verdict},
        counts[verdict]
          ? el(
              'button',
              {
                type: 'button',
                class: `link ${verdictClass(verdict)}`,
                'aria-label': `${counts[verdict]} ${verdict}, show these claims of ${paper}`,
                onclick: () => showClaims(verdict, paper),
              },
              sign(verdict),
              counts[verdict],
            )
          : el('span', {class: 'soft'}, '0'),
      ),
    ),
    el('td', {class: 'tiles'}, el('ul', null, tiles)),
  );
}

// "asadi2014 Fig. 2, Table 1; jin2016 Table 4"
function absentText(names) {
  return groupBy(names, paperOf)
    .map((mine) => `${paperOf(mine[0])} ${mine.map(labelOf).join(', ')}`)
    .join('; ');
}

function scoreboard(facts) {
  const papers = [...new Set(facts.artefacts.map((artefact) => paperOf(artefact.name)))].sort();
  return el(
    'section',
    {id: 'scoreboard', 'aria-labelledby': 'scoreboard-title'},
    el('h2', {id: 'scoreboard-title'}, 'Scoreboard'),
    totals(facts),
    el(
      'table',
      {class: 'scoreboard'},
      el('caption', {class: 'hidden'}, 'Claims of each paper by verdict, and its artefacts'),
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          el('th', {scope: 'col'}, 'paper'),
          VERDICTS.map((verdict) => el('th', {scope: 'col', class: 'number'}, verdict)),
          el('th', {scope: 'col'}, 'figures and tables'),
        ),
      ),
      el(
        'tbody',
        null,
        papers.map((paper) => paperRow(paper, facts)),
      ),
    ),
    facts.absent.length
      ? el(
          'p',
          {class: 'soft', id: 'absent'},
          `This run did not ask for ${absentText(facts.absent)}.`,
        )
      : null,
    el(
      'p',
      {class: 'soft'},
      'A claim is held if the 95 % intervals of all points lie on its side. It is not held ' +
        'if the interval of one point lies entirely on the other side. Otherwise, or with ' +
        'fewer than 6 rounds, it is unresolved. Claims about “most cases” need more than half ' +
        'of the points. The rule is stated below each claim.',
    ),
  );
}
