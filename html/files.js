// The files of a run, which the facts contain as they are.

function fieldOf(text) {
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll('""', '"');
  return text === '' || Number.isNaN(Number(text)) ? text || null : Number(text);
}

// CSV as {columns, lines}. Fields that are numbers become numbers, and empty fields become null.
function tableOf(csv) {
  const lines = [];
  for (const [whole, text] of csv.trimEnd().matchAll(/(?:^|[,\n])("(?:[^"]|"")*"|[^,\n]*)/g)) {
    if (!whole.startsWith(',')) lines.push([]);
    lines.at(-1).push(fieldOf(text));
  }
  return {columns: lines.shift(), lines};
}

function blockOf(line) {
  const heading = /^#+/.exec(line);
  if (heading)
    return {kind: 'heading', level: heading[0].length, text: line.replace(/^#+/, '').trim()};
  if (line.startsWith('|')) return {kind: 'table', rows: []};
  if (line.startsWith('- ')) return {kind: 'list', items: []};
  return {kind: 'paragraph', text: line.trim()};
}

// The Markdown of a report as blocks: {kind: 'heading', level, text}, {kind: 'paragraph', text},
// {kind: 'list', items} and {kind: 'table', head, rows}. Marks within a line stay as they are.
function blocksOf(markdown) {
  const blocks = [];
  let last = null; // the block that the next line may continue
  for (const line of markdown.split('\n')) {
    const block = line.trim() ? blockOf(line) : null;
    if (block && (block.text !== undefined || block.kind !== last?.kind)) blocks.push(block);
    last = block?.kind === last?.kind ? last : block;
    if (last?.kind === 'list') last.items.push(line.slice(2));
    if (last?.kind !== 'table' || line.startsWith('|-')) continue;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (last.head) last.rows.push(cells);
    else last.head = cells;
  }
  return blocks;
}
