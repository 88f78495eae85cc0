// Making elements. Text always becomes a text node, so data cannot become markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// Marks within a line of the report's Markdown: `code`, **bold** and [text](file).
function rich(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\))/).map((part) => {
    if (part.startsWith('`')) return el('code', null, part.slice(1, -1));
    if (part.startsWith('**')) return el('strong', null, part.slice(2, -2));
    if (/^\[[^\]]*\]\(/.test(part)) return part.slice(1, part.indexOf(']'));
    return part;
  });
}

// The list's members with the same key, as a list of lists in the order of the first members.
function groupBy(list, key) {
  const groups = new Map();
  for (const one of list) {
    if (!groups.has(key(one))) groups.set(key(one), []);
    groups.get(key(one)).push(one);
  }
  return [...groups.values()];
}

// The member at the path, or null.
function textOf(object, ...path) {
  for (const key of path) object = object ? object[key] : undefined;
  return object ?? null;
}

// --- numbers ---------------------------------------------------------------------------------

function format(value) {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return value.toExponential(1);
  const digits =
    size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  return value.toLocaleString('en', {maximumFractionDigits: digits, minimumFractionDigits: digits});
}

function percent(value) {
  return `${Math.round(100 * value)} %`;
}

function interval(low, high, show = format) {
  return low === null || high === null ? '' : `[${show(low)}, ${show(high)}]`;
}

function bytes(value) {
  if (!value) return 'unknown';
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}

// A time in ns per document, in the unit that keeps it short.
function duration(ns) {
  if (ns === null || ns === undefined) return '–';
  return ns >= 1000 ? `${format(ns / 1000)} µs` : `${format(ns)} ns`;
}

// --- what several parts show -----------------------------------------------------------------

const SIGNS = {held: '✓', 'not held': '✗', unresolved: '?', 'not measured': '–'};
const VERDICTS = []; // in the order in which claims are listed; from the facts

function verdictClass(verdict) {
  return `v-${verdict.replace(' ', '-')}`;
}

function sign(verdict) {
  return el(
    'span',
    {class: `sign ${verdictClass(verdict)}`, 'aria-hidden': 'true'},
    SIGNS[verdict],
  );
}

function verdictChip(verdict) {
  return el('span', {class: `chip ${verdictClass(verdict)}`}, sign(verdict), verdict);
}

const ORIGINS = {
  synthetic: 'made-up trees and documents',
  'stand-in': 'a made-up data set in place of the real one',
  sample: 'a sample or a part of the data set',
  grown: 'trees that were grown or copied, not trained',
  resampled: 'documents drawn with replacement',
  unknown: 'documents of which only their author knows where they come from',
};

function originBadges(origins) {
  return origins.map((origin) => el('span', {class: 'origin', title: ORIGINS[origin]}, origin));
}

// "asadi2014-table2" is Table 2 of asadi2014.
function paperOf(name) {
  return name.split('-')[0];
}

function labelOf(name) {
  const rest = name.slice(paperOf(name).length + 1).replace(/-/g, ' ');
  return rest.replace(/^fig(\d)/, 'Fig. $1').replace(/^table(\d)/, 'Table $1');
}

function countVerdicts(claims) {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0]));
  for (const claim of claims) counts[claim.verdict]++;
  return counts;
}
