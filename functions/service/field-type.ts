const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  text: [
    'text',
    'string',
    'shorttext',
    'longtext',
    'plaintext',
    'richtext',
    'textarea',
    'singleline',
    'multiline',
  ],
  number: ['number', 'numeric', 'integer', 'int', 'decimal', 'float', 'double'],
  date: ['date', 'datetime', 'datepicker'],
  'single-choice': [
    'singlechoice',
    'singleselect',
    'singleselection',
    'choice',
    'select',
    'dropdown',
    'radio',
    'enum',
  ],
  'multiple-choice': [
    ...[
      'multiplechoice',
      'multipleselect',
      'multipleselection',
      'multichoice',
      'multiselect',
      'multiselection',
    ],
    ...['multi', 'choices', 'checkboxes', 'tags'],
  ],
};

const NAMES = new Map(
  Object.entries(SYNONYMS).flatMap(([name, words]) => words.map(word => [word, name] as const)),
);

/** True for the five types of service-api.md §2.3. */
export function isKnownType(type: string): boolean {
  return Object.hasOwn(SYNONYMS, type);
}

/** A field type as one of the five names of service-api.md §2.3, however it is spelt; else as written. */
export function normaliseType(written: string): string {
  const word = written.toLowerCase().replace(/[^a-z0-9]/g, '');
  return NAMES.get(word) ?? NAMES.get(word.replace(/field$/, '')) ?? written;
}
