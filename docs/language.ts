/** What the language of this project avoids (CONTRIBUTING.md, *Language*). `npm run check` finds it in names,
 *  comments, messages and pages. */

/** A line with something that the language avoids: a word, a phrase, or a comment that is too long. */
export interface Finding {
  readonly line: number;
  readonly found: string;
}

/** Words, also as a part of a name such as `isTold`. */
const WORDS = new Set(
  (
    'told tell tells telling untold said say says saying nobody somebody anybody whoever wholly anew meanwhile ' +
    'mend mends mended mending held lane lanes fleet house houses fate fates debt debts debtor owe owes owed owing ' +
    'behind readied bury buries buried revive revives revived strangers onlooker restless garbled'
  ).split(' '),
);

const PHRASES = [
  /\b(?:is|are) none\b/,
  /(?<!\b[Tt]here )\bis no (?!longer\b|more\b)/,
  /\bso many\b/,
  /\bonce more\b/,
  /\bgo(?:es)? on\b/,
  /\bcan not\b/,
  /\basked wrongly\b/,
  /\bwith commas between\b/,
  /\bset(?:s|ting)?[ -]aside\b/i,
  /\bputs? off\b/,
  /\bstands in\b/,
  /(?<!\bas )\bwell\b(?!-)/,
];

/** Constants are MAX_…, MIN_…, CONCURRENCY or …_TIMEOUT_MS. */
const CONSTANTS = /\b(?:MOST|LONGEST|FEWEST|PATIENCE|AT_ONCE|WIDTH)(?:_[A-Z_]+)?\b/;

/** The event type `source.held`, and what data that is kept calls its rows and columns. */
const NAMES_THAT_STAY =
  /source[.-]held|source\.held|SourceHeld|HeldData|DEBT#|\bdebt\b(?= \(|')|told_entry\w*|met_at|(?:FROM|INTO|TABLE|ON|UPDATE) debt\b|metAt|\btold(?=: told\.BOOL|: \{ BOOL|, revision|, (?:is)?[rR]eason|\) VALUES| INTEGER|\.BOOL|\)$| === 1)/g;

const MAX_COMMENT = 120;

/** The findings in a text. `isCode`: the text is TypeScript, whose comment lines have a length limit. */
export function findingsIn(text: string, isCode: boolean): Finding[] {
  return text.split('\n').flatMap((content, index) => {
    const read = content.replaceAll(NAMES_THAT_STAY, '');
    const found = [...wordsIn(read), ...phrasesIn(read)];
    if (isCode && /^\s*(?:\/\/|\/?\*)/.test(content) && content.length > MAX_COMMENT)
      found.push(`a comment line of ${content.length} characters (at most ${MAX_COMMENT})`);
    return found.map(each => ({ line: index + 1, found: each }));
  });
}

function wordsIn(text: string): string[] {
  return (text.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []).filter(name =>
    partsOf(name).some(part => WORDS.has(part)),
  );
}

function phrasesIn(text: string): string[] {
  return [...PHRASES, CONSTANTS].flatMap(pattern => pattern.exec(text)?.[0] ?? []);
}

/** The words of a name: `isTold` has `is` and `told`, `MAX_DEBTS` has `max` and `debts`. */
function partsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map(part => part.toLowerCase());
}
