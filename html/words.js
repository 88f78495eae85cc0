// The words of the page, for readers who do not know treebench.

const PAPERS = {
  asadi2012:
    'N. Asadi, J. Lin and A. P. de Vries, “Runtime Optimizations for Prediction with ' +
    'Tree-Based Models”, arXiv 1212.2287, 2012.',
  asadi2014:
    'N. Asadi, J. Lin and A. P. de Vries, “Runtime Optimizations for Tree-Based Machine ' +
    'Learning Models”, IEEE TKDE 26(9), 2014.',
  beyond:
    'Beyond the papers: calls of single documents, beside figures that others published for ' +
    'other machines and other trees.',
  buschjaeger2018:
    'S. Buschjäger, K.-H. Chen, J.-J. Chen and K. Morik, “Realization of Random Forest for ' +
    'Real-Time Evaluation through Tree Framing”, ICDM 2018.',
  jin2016:
    'X. Jin, T. Yang and X. Tang, “A Comparison of Cache Blocking Methods for Fast ' +
    'Execution of Ensemble-based Score Computation”, SIGIR 2016.',
  lettich2018:
    'F. Lettich, C. Lucchese, F. M. Nardini, S. Orlando, R. Perego, N. Tonellotto and R. ' +
    'Venturini, “Parallelizing the Traversal of Large Ensembles of Decision Trees”, 2018.',
};

const WORDS = [
  ['document', 'One row of features that a model scores. Times are per document.'],
  ['documents', 'How many different documents a time was measured on.'],
  [
    'documents per call, per call',
    'How many documents one call of the scorer was given. With 1 per call, this is the ' +
      'latency of one document.',
  ],
  [
    'workload',
    'A model and its documents: the data set, L (most leaves per tree) or d (depth of the ' +
      'trees), and the number of trees; f is the number of features.',
  ],
  [
    'LETOR, MSLR, C14',
    'Names of the papers for data sets. LETOR is mq2007, mq2008 and ohsumed; MSLR is ' +
      'mslr-web10k and mslr-web30k, also called MSN; C14 is yahoo-c14-set1.',
  ],
  [
    'implementation, variant',
    'A way to score, and such a way with its parameters: vpred is an implementation, and ' +
      'vpred,v=8 is a variant of it.',
  ],
  [
    'order',
    'The nesting of the loops over documents (D) and trees (S): in DS, every document ' +
      'passes all trees before the next document begins.',
  ],
  [
    'scatter=1, aged heap',
    'The nodes of STRUCT lie in random order in memory, as after long use of a heap.',
  ],
  ['v', 'How many documents vpred handles at once.'],
  ['tau', 'How many trees are in a block of bwqs or qs-gpu.'],
  [
    'noop, rowscan',
    'Baselines that score nothing: noop does nothing, and rowscan reads every feature of ' +
      'the documents once.',
  ],
  ['auto', 'The choice that treebench makes by itself.'],
  [
    'cell, round, trial',
    'A cell is a workload and the variants that are compared on it. In a round, each of ' +
      'them is timed once, in turn. A trial repeats the rounds, mostly with another model and ' +
      'other documents.',
  ],
  [
    '95 % interval',
    'The true value lies in the interval in 95 of 100 repetitions of the measurement.',
  ],
  [
    'held, not held',
    'The claim of the paper is true, or not true, on this machine. The rule stands below ' +
      'each claim.',
  ],
  [
    'unresolved',
    'The intervals are too wide, or too few points or rounds were measured, to decide.',
  ],
  [
    'not measured',
    'This run has no number for the claim, for example because the machine lacks cores or ' +
      'counters.',
  ],
];

function wordsSection() {
  const item = ([word, meaning]) => el('div', null, el('dt', null, word), el('dd', null, meaning));
  return section(
    'words',
    'Words',
    el(
      'dl',
      {class: 'box words'},
      WORDS.map(item),
      Object.entries(ORIGINS).map(([origin, meaning]) =>
        item([originBadges([origin]), `Not real: ${meaning}.`]),
      ),
    ),
  );
}
