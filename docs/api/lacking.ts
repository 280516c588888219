import type { Described } from './describe.ts';
import type { Entry } from './entries.ts';
import type { Member } from './members.ts';

/** What the page lacks, one line for each: what lacks a doc comment, a written type or a default, and what is used
 *  but can't be imported. */
export function lacking(entries: readonly Entry[]): string[] {
  const names = new Set(entries.flatMap(({ exports }) => exports.map(({ name }) => name)));
  return entries.flatMap(entry =>
    entryLacking(entry, names).map(([place, what]) => `${entry.name}: ${place} ${what}.`),
  );
}

type Lacking = readonly [place: string, what: string];

function entryLacking({ about, exports }: Entry, names: ReadonlySet<string>): Lacking[] {
  const ofFile: Lacking[] = about === '' ? [['the file', 'has no doc comment at its head']] : [];
  const ofExports = exports.flatMap(one => [
    ...ofExport(one, names).map(what => [one.name, what] as const),
    ...one.members.flatMap(member =>
      ofMember(one, member).map(what => [`${one.name}.${member.name}`, what] as const),
    ),
  ]);
  return [...ofFile, ...ofExports];
}

function ofExport({ kind, doc, code, uses }: Described, names: ReadonlySet<string>): string[] {
  const isTyped = code !== undefined || (kind !== 'function' && kind !== 'constant');
  return [
    ...(doc ? [] : ['has no doc comment']),
    ...(isTyped ? [] : ['has a type that is not written']),
    ...uses.filter(used => !names.has(used)).map(used => `uses ${used}, which cannot be imported`),
  ];
}

function ofMember({ name }: Described, { type, optional, doc }: Member): string[] {
  const needsDefault = name.endsWith('Props') && optional;
  return [
    ...(doc ? [] : ['has no doc comment']),
    ...(type === undefined ? ['has a type that is not written'] : []),
    ...(needsDefault && doc?.default === undefined ? ['is optional, and has no @default'] : []),
  ];
}
