// Checks of the report in Chromium. Usage: node report.mjs PAGE PRINTED FOLDER
// PRINTED is the last line that report printed. CHROMIUM is the browser's path.
// REPORT_MODULES is the folder that has node_modules with playwright-core and axe-core.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const require = createRequire(`${process.env.REPORT_MODULES}/`);
const {chromium} = require('playwright-core');
const [, , file, printed, folder] = process.argv;

async function rowsOf(page, id) {
  return page.locator(`#${id}-table tbody tr:not(.detail)`).count();
}

// Texts of a table's column, from 0.
async function columnOf(page, id, column) {
  return page
    .locator(`#${id}-table tbody tr:not(.detail)`)
    .evaluateAll((rows, i) => rows.map((row) => row.children[i].textContent), column);
}

// The values at which the marks of a panel stand, by the grid's lines and their numbers. The axis
// is a log axis.
async function drawnValues(plot, mark) {
  return plot.evaluate((node, name) => {
    const at = [...node.querySelectorAll('.grid')].map((line) => Number(line.getAttribute('y1')));
    const numbers = [...node.querySelectorAll('text[text-anchor=end]')].map((text) =>
      Math.log(Number(text.textContent.replace(/,/g, ''))),
    );
    const slope = (numbers.at(-1) - numbers[0]) / (at.at(-1) - at[0]);
    const heights = (one) =>
      one.hasAttribute('transform')
        ? [one.getAttribute('transform').match(/,([\d.]+)/)[1]]
        : one
            .getAttribute('d')
            .match(/,([\d.]+)h.*V([\d.]+)/)
            .slice(1);
    return [...node.querySelectorAll(name)]
      .flatMap(heights)
      .map(Number)
      .map((y) => Math.exp(numbers[0] + slope * (y - at[0])));
  }, mark);
}

const nanoseconds = (text) =>
  Number(text.replace(/,/g, '').split(' ')[0]) * (text.includes('µs') ? 1000 : 1);
const isSorted = (list) => list.every((value, i) => i === 0 || list[i - 1] <= value);

const checks = {
  async files() {
    const {tableOf, blocksOf} = new Function(
      `${readFileSync('html/files.js')} return {tableOf, blocksOf};`,
    )();
    const [table, cut, empty, blocks, cutBlocks] = [
      tableOf('a,b,c\n1,"x, ""y""\n",\n"2",1.5e3,z\n'),
      tableOf('a,b\n1,"x'),
      tableOf(''),
      blocksOf('# Title\n\nWords `code`.\n\n| a | b |\n|---|--:|\n| 1 |  |\n- one\n- two\n\n- 3\n'),
      blocksOf('| a'),
    ];
    assert.deepEqual(table, {
      columns: ['a', 'b', 'c'],
      lines: [
        [1, 'x, "y"\n', null],
        ['2', 1500, 'z'],
      ],
    });
    assert.deepEqual(cut.columns, ['a', 'b']);
    assert.deepEqual(empty.lines, []);
    assert.deepEqual(blocks, [
      {kind: 'heading', level: 1, text: 'Title'},
      {kind: 'paragraph', text: 'Words `code`.'},
      {kind: 'table', rows: [['1', '']], head: ['a', 'b']},
      {kind: 'list', items: ['one', 'two']},
      {kind: 'list', items: ['3']},
    ]);
    assert.deepEqual(cutBlocks, [{kind: 'table', rows: [], head: []}]);
  },

  // Everything is in the file: no request but the page itself, and nothing on the console.
  async opens(page, seen) {
    assert.deepEqual(
      seen.requests.filter((url) => !url.startsWith('data:')).length,
      1,
      seen.requests.join(' '),
    );
    assert.equal(await page.locator('h1').textContent(), 'treebench run');
    for (const id of [
      'machine',
      'scoreboard',
      'claims',
      'papers',
      'implementations',
      'map',
      'rows',
      'words',
    ])
      assert.equal(await page.locator(`section#${id}`).count(), 1, id);
    assert.match(
      await page.locator('#machine').textContent(),
      /Fixed <b>processor<\/b>.*smoke.*24 of 60 cells/s,
    );
    const warnings = await page.locator('.warning').allTextContents();
    assert.equal(warnings.length, 3, warnings.join(' '));
    assert.match(warnings.join(' '), /Other programs were running/);
    const unreal = await page.locator('#unreal').textContent();
    assert.match(
      unreal,
      /made-up stand-ins for mq2008, yahoo-c14-set1\.mark.*synthetic.*asadi2014 Table 2/,
      'no others that are real',
    );
  },

  // Of what is not reproduced, the page has one line per entry of the run's papers, as report.md.
  async missing(page) {
    const report = readFileSync(`${file.replace('report.html', 'run')}/report.md`, 'utf8');
    const lines = report.match(/^> - .*/gm);
    assert.deepEqual(
      await page.locator('#not-reproduced li').allTextContents(),
      lines.map((line) => line.slice(4).replace(/`/g, '')),
    );
    const entries = JSON.parse(readFileSync('results/not-reproduced.json', 'utf8'));
    assert.equal(
      lines.length,
      entries.filter(({paper}) => ['All papers', 'asadi2014'].includes(paper)).length,
    );
    await page.goto(pathToFileURL(file.replace('report.html', 'map.html')).href);
    assert.equal(await page.locator('#not-reproduced').count(), 0, 'a map has no papers');
  },

  // report printed: "claims: 1 not held, 2 unresolved, 3 held, 4 not measured; ...": the same
  // words, numbers and order as on the page.
  async scoreboard(page) {
    const totals = await page
      .locator('.totals button')
      .evaluateAll((buttons) =>
        buttons.map(
          (button) =>
            `${button.children[0].textContent} ${button.children[1].lastChild.textContent}`,
        ),
      );
    assert.equal(printed.match(/^claims: (.*?);/)[1], totals.join(', '));
    assert.ok(
      totals.length === 4 && totals.every((text) => !text.startsWith('0 ')),
      'the fixed run has every verdict',
    );
    assert.deepEqual(await page.locator('.scoreboard .tile .name').allTextContents(), [
      'Fig. 4',
      'Table 2',
    ]);
    assert.deepEqual(await page.locator('.scoreboard tbody th').allTextContents(), ['asadi2014']);
    assert.match(
      await page.locator('#absent').textContent(),
      new RegExp(
        '^This run did not ask for asadi2012 Fig\\. 1, .*; asadi2014 [^;]*' +
          'Fig\\. 2, Fig\\. 3, Fig\\. 5, Table 1, Table 2 warm, Table 3, [^;]*; ' +
          '.*lettich2018 .*\\.$',
      ),
    );
  },

  async claims(page) {
    const all = await rowsOf(page, 'claims');
    // As on the terminal: not held first, then unresolved, held, not measured.
    const order = [...new Set(await columnOf(page, 'claims', 0))];
    assert.deepEqual(order, ['✗not held', '?unresolved', '✓held', '–not measured']);
    assert.deepEqual(
      await page.locator('#asadi2014-table2 .claim .words > .chip').allTextContents(),
      ['?unresolved', ...Array(4).fill('✓held'), ...Array(2).fill('–not measured')],
    );
    const failed = Number(await page.locator('.totals .v-not-held .big').textContent());
    await page.locator('.totals button.v-not-held').click();
    assert.equal(await rowsOf(page, 'claims'), failed);
    assert.ok((await columnOf(page, 'claims', 0)).every((text) => text.includes('not held')));
    await page.locator('#claims-verdict').selectOption('');
    await page.locator('#claims-words').fill('vpred codegen c14');
    const found = await rowsOf(page, 'claims');
    assert.ok(found > 0 && found < all);
    const claim = page.locator('#asadi2014-table2--vpred-beats-pred');
    assert.match(
      await claim.locator('.rule').textContent(),
      /^Held if the 95 % interval of each ratio lies above 1 at every point/,
    );
    assert.equal(await claim.locator('tbody tr').count(), 6);
    assert.match(await claim.locator('tbody tr').first().textContent(), /held.*pred \/ vpred,v=8/);
    // The table says by how much: what is required, the worst value, and how many points hold.
    await page.locator('#claims-words').fill('faster than pred');
    const own = page.locator('#claims-table tbody tr', {
      has: page.locator('a[href="#asadi2014-table2--vpred-beats-pred"]'),
    });
    const cells = await own.locator('td, th').allTextContents();
    assert.equal(cells[3], 'above 1');
    assert.match(cells[4], /^\d.*\[.*pred \/ vpred,v=8/);
    assert.equal(cells[5], '6 of 6 hold');
    // Of a claim with two bounds, the worst value may be over the upper one.
    await page.locator('#claims-words').fill('slightly slower 1.60');
    const near = page.locator('#claims-table tbody tr', {
      has: page.locator('a[href="#asadi2014-fig4--struct-plus-near-struct-letor"]'),
    });
    const bounded = await near.locator('td, th').allTextContents();
    assert.equal(bounded[3], 'between 0.95 and 1.1');
    assert.match(bounded[4], /^1\.60 \[1\.60, 1\.60\]mq2008 L=11, 10 treesstruct \/ struct-plus$/);
    assert.equal(bounded[5], '0 of 4 hold, 2 fail, 2 open');
  },

  async sorts(page) {
    const button = page.locator('#rows-table thead button', {hasText: 'time per document'});
    const times = async () =>
      (await columnOf(page, 'rows', 8))
        .filter((text) => /^[\d.,]+ (ns|µs)/.test(text))
        .map(nanoseconds);
    await button.click();
    assert.ok(isSorted(await times()));
    assert.equal(await page.locator('#rows-table [aria-sort=ascending]').count(), 1);
    await button.press('Enter');
    assert.ok(isSorted((await times()).reverse()));
    assert.equal(await page.locator('#rows-table [aria-sort=descending]').count(), 1);
    assert.equal((await times()).length, 85);
  },

  // Text from the run stays text, whatever it contains.
  async filters(page) {
    assert.equal(await rowsOf(page, 'rows'), 86);
    await page.locator('#rows-words').fill('PRED d=7 f=512');
    assert.equal(await rowsOf(page, 'rows'), 6);
    await page.locator('#rows-words').fill('PRED d=7 f=51');
    assert.equal(await rowsOf(page, 'rows'), 0, 'no part of a number is found');
    await page.locator('#rows-words').fill('');
    await page.locator('#rows-data').selectOption('stand-in');
    assert.equal(await rowsOf(page, 'rows'), 32);
    await page.locator('#rows-data').selectOption('');
    await page.locator('#rows-status').selectOption('unsupported');
    assert.equal(await rowsOf(page, 'rows'), 1);
    assert.match((await columnOf(page, 'rows', 8))[0], /^unsupported: <\/script><img src=x/);
    assert.equal(await page.locator('img').count(), 0);
    await page.locator('#rows-status').selectOption('ok');
    await page.locator('#rows-table .open').first().click();
    assert.match(
      await page.locator('#rows-table .detail:not([hidden])').textContent(),
      /rounds, ns per document/,
    );
  },

  async links(page) {
    const broken = await page
      .locator('a[href^="#"]')
      .evaluateAll((links) =>
        links
          .map((link) => link.getAttribute('href').slice(1))
          .filter((id) => !document.getElementById(id)),
      );
    assert.deepEqual(broken, []);
    assert.equal(await page.locator('a[href]:not([href^="#"])').count(), 0);
    await page.locator('.scoreboard .tile[href="#asadi2014-fig4"]').click();
    await page.waitForFunction(
      () => Math.abs(document.getElementById('asadi2014-fig4').getBoundingClientRect().top) < 120,
    );
  },

  // A panel tells its values to the pointer, to the keyboard, and to a screen reader.
  async values(page) {
    const plot = page.locator('#asadi2014-table2 .plot').first();
    await plot.focus();
    await page.keyboard.press('Home');
    assert.match(
      await page.locator('#tip').textContent(),
      /d 3 · ns per document.*PRED.*paper 22\.6/,
    );
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    assert.match(await plot.getAttribute('aria-valuetext'), /^d 7: .*PRED \d.*; paper 44.4/);
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#tip').isHidden());
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2);
    assert.match(await page.locator('#tip').textContent(), /paper/);
    await page.keyboard.press('Tab');
    assert.equal((await page.locator('#asadi2014-table2 .paper-mark').count()) > 10, true);
    // The paper's marks stand at the paper's values. Here PRED takes 6 ns at d = 3.
    const drawn = await drawnValues(plot, '.paper-mark');
    const [, ours, low, high] = (await plot.getAttribute('aria-valuetext'))
      .match(/PRED ([\d.]+) \[([\d.]+), ([\d.]+)\]/)
      .map(Number);
    const marks = await drawnValues(plot, '.mark'),
      ends = await drawnValues(plot, '.interval');
    for (const [value, all] of [
      [ours, marks],
      [low, ends],
      [high, ends],
    ])
      assert.ok(
        all.some((one) => Math.abs(one / value - 1) < 0.01),
        `${value}: ${all}`,
      );
    for (const value of [22.6, 44.4])
      assert.ok(
        drawn.some((one) => Math.abs(one / value - 1) < 0.01),
        `${value}: ${drawn}`,
      );
  },

  // A strip has the bounds, the paper's range and each interval where the axis has their numbers.
  async strips(page) {
    const strip = (claim) =>
      page
        .locator(`#asadi2014-${claim} tbody tr .strip`)
        .first()
        .evaluate((node) => {
          const x = (name, end) =>
            [...node.querySelectorAll(name)].map((one) => Number(one.getAttribute(end)));
          return {
            bounds: x('.bound', 'x1'),
            inside: x('.inside', 'x'),
            value: x('.middle', 'x1')[0],
            reach: [...x('.reach', 'x1'), ...x('.reach', 'x2')],
            papers: [x('.papers', 'x')[0], x('.papers', 'x')[0] + x('.papers', 'width')[0]],
          };
        });
    const isNear = (a, b) => assert.ok(Math.abs(a - b) < 0.2, `${a} ${b}`);
    // Shares have a linear axis: bound 0.225, the paper's 0.23 to 0.7, a value of 0.667.
    const share = await strip('table2--vpred-beats-pred-by');
    const at = (value) =>
      share.bounds[0] + ((value - 0.225) / (0.666667 - 0.225)) * (share.value - share.bounds[0]);
    isNear(share.papers[0], at(0.23));
    isNear(share.papers[1], at(0.7));
    isNear(share.inside[0], share.bounds[0]);
    assert.equal(
      await page
        .locator('#asadi2014-table2--vpred-beats-pred-by tbody tr td.number')
        .first()
        .textContent(),
      '67 %',
    );
    // Ratios have a log axis: bounds 0.95 and 1.1, the worst value 1.6.
    const ratio = await strip('fig4--struct-plus-near-struct-letor');
    isNear(
      (ratio.value - ratio.bounds[0]) / (ratio.bounds[1] - ratio.bounds[0]),
      Math.log(1.6 / 0.95) / Math.log(1.1 / 0.95),
    );
    const wide = await strip('fig4--codegen-beats-vpred-letor');
    assert.ok(
      wide.reach[0] < wide.value - 5 && wide.reach[1] > wide.value + 5,
      JSON.stringify(wide),
    );
  },

  async keyboard(page) {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('#main') !== null), true);
    const lost = await page
      .locator('[onclick], div[tabindex]')
      .evaluateAll((nodes) => nodes.filter((node) => !node.getAttribute('aria-label')).length);
    assert.equal(lost, 0);
    await page.locator('.theme').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(
      await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      'rgb(21, 24, 27)',
    );
  },

  // What is not real is marked beside its numbers.
  async origins(page) {
    const marks = (panel) => panel.locator('figcaption .origin').allTextContents();
    for (const panel of await page.locator('#asadi2014-table2 .panel').all())
      assert.deepEqual(await marks(panel), ['synthetic']);
    const measured = page.locator('#asadi2014-fig4 .panel', {has: page.locator('.plot')});
    assert.ok((await measured.count()) > 0);
    for (const panel of await measured.all()) assert.ok((await marks(panel)).includes('stand-in'));
    assert.equal(
      await page
        .locator('#rows-table tbody tr:not(.detail)', {has: page.locator('.origin')})
        .count(),
      86,
    );
    // A claim has the marks of its own data.
    const places = await columnOf(page, 'claims', 1);
    assert.ok(
      places.filter((text) => text.includes('Table 2')).every((text) => text.endsWith('synthetic')),
    );
    assert.ok(places.some((text) => text.includes('Fig. 4') && text.endsWith('stand-in')));
    assert.equal(
      await page.locator('#winners-table tbody tr', {has: page.locator('.origin')}).count(),
      await rowsOf(page, 'winners'),
    );
  },

  // In the other run, PRED takes a quarter of the time.
  async changes(page) {
    await page.goto(pathToFileURL(file.replace('report.html', 'changes.html')).href);
    assert.match(
      await page.locator('#changes > p strong').textContent(),
      /^38 timings in both runs: 6 slower, 0 faster, 32 not resolved\.$/,
    );
    await page.locator('#changes-change').selectOption('slower');
    assert.equal(await rowsOf(page, 'changes'), 6);
    assert.ok((await columnOf(page, 'changes', 0)).every((text) => text === 'pred'));
    assert.ok((await columnOf(page, 'changes', 4)).every((text) => text === '4.00'));
    assert.equal(await page.locator('nav a[href="#changes"]').count(), 1);
    assert.match(await page.locator('#changes .claims').textContent(), /✓ ?held.*here/s);
  },

  // Published figures are marks of their own, and all of it is made up.
  async latencies(page) {
    await page.goto(pathToFileURL(file.replace('report.html', 'beyond.html')).href);
    const plot = page.locator('#beyond-latency .plot').first();
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(
      await plot.getAttribute('aria-valuetext'),
      /^percentile p99: auto [\d.,]+; published 0\.798, interleaved [\d.,]+, .*; µs per call$/,
    );
    assert.deepEqual(await page.locator('#beyond-latency .panel').count(), 2);
    assert.equal(await plot.locator('.paper-mark').count(), 1);
    const [mark] = await drawnValues(plot, '.paper-mark');
    assert.ok(Math.abs(mark / 0.798 - 1) < 0.01, `${mark}`);
    assert.match(
      await page.locator('#beyond-latency .legend').textContent(),
      /empty callpublished; another machine and other trees$/,
    );
    const server = page.locator('#beyond-latency-server .plot').first();
    await server.focus();
    await page.keyboard.press('Home');
    assert.match(
      await server.getAttribute('aria-valuetext'),
      /^calls per second 5,000: .*; µs until the reply \(p99\)$/,
    );
    for (const panel of await page.locator('.panel').all())
      assert.deepEqual(await panel.locator('.origin').allTextContents(), ['synthetic']);
  },

  async map(page) {
    await page.goto(pathToFileURL(file.replace('report.html', 'map.html')).href);
    const all = await rowsOf(page, 'map');
    assert.ok(all > 1);
    assert.equal(await page.locator('.map-cell').count(), all);
    await page.locator('#map-call').selectOption('1');
    assert.ok((await rowsOf(page, 'map')) < all);
    assert.ok((await columnOf(page, 'map', 1)).every((text) => text === '1'));
    assert.match(
      await page.locator('#map').textContent(),
      /It covers 1, [\d, ]+ documents per call; [\d, ]+ trees;/,
    );
    assert.equal(
      (await page.locator('#map details li', {hasText: /fastest at [1-9]/}).count()) > 0,
      true,
    );
    assert.deepEqual(await page.locator('#map > p .origin').allTextContents(), [
      'stand-in',
      'grown',
    ]);
    assert.equal(await page.locator('#scoreboard').count(), 0);
    await page.setViewportSize({width: 390, height: 844});
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },

  async atlas(page) {
    await page.goto(pathToFileURL(file.replace('report.html', 'atlas.html')).href);
    const wins = (await page.locator('#wins tbody td').allTextContents()).map(Number);
    const workloads = await page.locator('table:not(#wins) tbody tr').count();
    assert.ok(workloads > 0);
    assert.equal(
      wins.reduce((sum, one) => sum + one, 0),
      workloads,
    );
    assert.equal(
      await page.locator('tbody strong, #wins code', {hasText: /noop|rowscan|auto/}).count(),
      0,
    );
    await page.setViewportSize({width: 390, height: 844});
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },

  async phone(page) {
    await page.setViewportSize({width: 390, height: 844});
    for (const details of await page.locator('details').all())
      await details.evaluate((node) => {
        node.open = true;
      });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },

  async prints(page) {
    const pdf = await page.pdf({format: 'A4'});
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
    assert.ok(pages > 1 && pages < 40, `${pages} pages`);
  },

  // Few rows, because axe-core looks at the contrast of every text. Dark differs in its colours
  // only.
  async accessible(page) {
    await page.locator('#rows-words').fill('PRED d=7 f=512');
    await page.locator('#winners-words').fill('d=7');
    await page.locator('.impl summary').first().click();
    await page.addScriptTag({path: require.resolve('axe-core/axe.min.js')});
    for (const [theme, options] of [
      ['light', {}],
      ['dark', {runOnly: ['color-contrast']}],
    ]) {
      await page.evaluate((value) => {
        document.documentElement.dataset.theme = value;
      }, theme);
      const found = await page.evaluate(
        (wanted) => window.axe.run(document, {resultTypes: ['violations'], ...wanted}),
        options,
      );
      const serious = found.violations.filter((one) =>
        ['serious', 'critical'].includes(one.impact),
      );
      assert.deepEqual(
        serious.map(
          (one) =>
            `${one.id}: ${one.nodes
              .slice(0, 3)
              .map((node) => node.html)
              .join(' ')}`,
        ),
        [],
        theme,
      );
    }
  },
};

// Runs all checks, each on a fresh page, and writes "ok" or the error to FOLDER/CHECK.
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox'],
});
for (const [name, check] of Object.entries(checks)) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}});
  page.setDefaultTimeout(10000);
  const seen = {requests: [], problems: []};
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('console', (message) => seen.problems.push(message.text()));
  page.on('pageerror', (error) => seen.problems.push(error.stack));
  let result = 'ok';
  try {
    await page.goto(pathToFileURL(file).href);
    await check(page, seen);
    assert.deepEqual(seen.problems, []);
  } catch (error) {
    result = error.stack;
  }
  writeFileSync(`${folder}/${name}`, `${result}\n`);
  await page.close();
}
await browser.close();
