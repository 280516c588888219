import fc from 'fast-check';
import type { Json } from '../../../functions/basics/json.ts';
import {
  auditEvents,
  onHoldEvent,
  recoveredEvent,
  skippedEvent,
  stalledEvent,
} from '../../../functions/changes/process-events.ts';
import type { Actor, ChangeEvent, FieldChange } from '../../../functions/model/event.ts';
import { ANY_CHARACTER } from '../any-character.ts';
import { change, commitOf, fieldsOf } from './chat-batches.ts';

/** Texts with a special meaning in a chat, in a renderer or in JSON. */
const traps = [
  ...'<!channel>  <!here|x>  <@U123>  <#C1>  <https://evil.example|click>  https://evil.example  @here'.split(
    '  ',
  ),
  ...'&amp;  &  <  >  *b*  _i_  ~s~  `c`  ```  :tada:  [a](b)  **  <at>x</at>  "  \\  __proto__'.split('  '),
  ...['{{DATE(2026-01-01T00:00:00Z)}}', '{{{TIME(', '$' + '{x}', '# ', '- ', ' ', '|'],
  ...['\n', '\r\n', '\t', '\0', '\u001B[31m', '\u0085', '\u2028', '\u202E', '\u2066', '\uFFFE'],
  ...['\uD800', '\uDC00', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'e\u0301', 'שלום', 'مرحبا', '漢字', '\u200B', '\u2060'],
];
const piece = fc.oneof(
  fc.constantFrom(...traps),
  fc.string({ unit: ANY_CHARACTER }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map(units => String.fromCharCode(...units)),
);

/** Any text: short, made of traps, or huge. */
export const anyText = fc.oneof(
  { weight: 20, arbitrary: fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join('')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(piece, fc.constantFrom(10, 100, 1_000, 10_000))
      .map(([text, times]) => text.repeat(times).slice(0, 20_000)),
  },
);

const anyValue: fc.Arbitrary<Json> = fc.oneof(
  anyText,
  fc.constantFrom(null, '', [], true, 0, -1.5e300),
  fc.array(anyText, { maxLength: 4 }),
  fc.dictionary(anyText, anyText, { maxKeys: 3 }),
);

const anyField: fc.Arbitrary<FieldChange> = fc
  .record({
    name: anyText,
    from: anyValue,
    to: anyValue,
    sets: fc.option(fc.tuple(fc.array(anyText), fc.array(anyText))),
  })
  .map(({ name, from, to, sets }) => ({
    field: name,
    name,
    kind: 'custom',
    type: 'text',
    from,
    to,
    ...(sets && { added: sets[0], removed: sets[1] }),
  }));

/** Identifiers are keys of the table, which takes 1,024 bytes. */
const anyId = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  anyText.map(text => text.slice(0, 200)).filter(text => text !== ''),
);

const anyChange = fc
  .record({
    id: anyId,
    name: anyText,
    fields: fc.oneof(
      fc.array(anyField, { maxLength: 4 }),
      fc.array(anyField, { minLength: 30, maxLength: 40 }),
    ),
    entity: fc.constantFrom('task', 'project'),
    action: fc.constantFrom('created', 'updated', 'deleted'),
  })
  .map(({ id, name, fields, entity, action }) =>
    change(id, name, action === 'deleted' ? [] : fields, { entity, action }),
  );

const anyActor: fc.Arbitrary<Actor> = fc.record(
  { id: fc.oneof(fc.constant('u-1'), anyId), name: fc.oneof(fc.constant('Ann Lee'), anyText) },
  { requiredKeys: ['id'] },
);
/** The actors of some records. */
const anyActors = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(
    fc.constant<Actor[]>([{ id: 'u-1', name: 'Ann Lee' }]),
    fc.array(anyActor, { minLength: 1, maxLength: 6 }),
  ),
);

const anyCommit = fc
  .tuple(
    fc.array(anyChange, { minLength: 1, maxLength: 8 }),
    fc.record({
      projectId: anyId,
      name: anyText,
      processId: anyId,
      version: fc.integer({ min: 1e12, max: 1e15 }),
      actors: anyActors,
    }),
    fc.constantFrom(0, 0, 0, 150),
  )
  .map(([changes, commit, times]) => {
    const [first] = changes;
    const small = first ? [{ ...first, fields: first.fields.slice(0, 2) }] : [];
    return commitOf([...changes, ...Array.from({ length: times }, () => small).flat()], commit);
  });

const anyHeld = fc
  .tuple(anyId, fc.integer({ min: 1, max: 1e6 }))
  .map(([processId, missing]): ChangeEvent[] => [
    onHoldEvent(
      { workspace: 'eu', processId },
      { version: 1.7e12 + missing, at: 1.7e12, missing, known: missing },
    ),
  ]);

const anyStall = fc
  .tuple(anyId, anyText, fc.integer({ min: 1, max: 1e6 }))
  .map(([processId, reason, after]): ChangeEvent[] => {
    const [since, version] = [1.7e12, 1.7e12 + after];
    const origin = { workspace: 'eu', processId };
    return [
      stalledEvent(origin, { version, at: version, since, reason }),
      recoveredEvent(origin, { version: version + 1, since, until: version }),
      skippedEvent(origin, {
        version: version + 2,
        index: 0,
        at: version,
        projectId: reason || 'x',
        since,
        reason,
      }),
    ];
  });

const anyDefinitions = fc.uniqueArray(
  fc.record(
    {
      externalId: anyId,
      name: anyText,
      type: anyText,
      options: fc.array(anyText, { maxLength: 4 }),
      archived: fc.boolean(),
    },
    { requiredKeys: ['externalId', 'name', 'type'] },
  ),
  { selector: ({ externalId }) => externalId, maxLength: 6 },
);
const anyFields = fc
  .tuple(anyDefinitions, anyDefinitions, anyId)
  .map(([before, now, processId]) => fieldsOf(before, now, { processId }));

const anyEntries = fc
  .tuple(fc.array(fc.tuple(anyText, anyText), { maxLength: 8 }), anyId, fc.integer({ min: 1, max: 1e6 }))
  .map(([entries, processId, after]): ChangeEvent[] => {
    const read = entries.map(([text, name], index) => ({
      id: String(index).padStart(32, 'a'),
      entry: { text },
      projects: [],
      tasks: [],
      users: [{ id: 'u', name }],
    }));
    return auditEvents({ workspace: 'eu', processId }, read, { version: 1.7e12 + after, at: 1.7e12 });
  });

/** Any batch of events, in any order, some of them twice. */
export const anyBatch: fc.Arbitrary<ChangeEvent[]> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: anyCommit },
      { weight: 1, arbitrary: anyFields },
      { weight: 1, arbitrary: anyHeld },
      { weight: 1, arbitrary: anyStall },
      { weight: 1, arbitrary: anyEntries },
    ),
    { maxLength: 4 },
  )
  .chain(commits => {
    const events = commits.flat();
    return fc.shuffledSubarray([...events, ...events.slice(0, 2)], { minLength: events.length });
  });
