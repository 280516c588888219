import { expect, test } from 'vitest';
import { ELSEWHERE, OBJECTS } from '../../docs/api/elsewhere.ts';
import { entriesOf } from '../../docs/api/entries.ts';
import { lacking } from '../../docs/api/lacking.ts';
import { apiPage } from '../../docs/api/page.ts';
import { keysOf } from '../../docs/configuration/keys.ts';
import { configSchema } from '../../functions/config/schema.ts';
import { KIND_SETTINGS } from '../../functions/model/kinds.ts';
import { ROOT, readDocument } from '../kit/docs/documents.ts';

const entries = entriesOf(ROOT);
const page = apiPage(entries, ELSEWHERE);
const exported = entries.flatMap(({ exports }) => exports);

test('docs/api.md is committed as the declarations have it: `npm run schemas` writes it', () => {
  expect(entries.map(({ name }) => name)).toEqual(['changewire/cdk', 'changewire/events']);
  expect(readDocument('docs/api.md')).toBe(page);
});

test('exports have doc comments, written types and defaults, and use only exported types', () => {
  expect(lacking(entries)).toEqual([]);
});

test('the page has every export, and every member', () => {
  for (const { name, members } of exported) {
    expect(page).toMatch(
      new RegExp(`^(### \`${name}\`$|\\| \`${name}\` \\||(interface|type) ${name}\\b)`, 'm'),
    );
    for (const { name: member, optional } of members) {
      const shown = `${member}${optional ? '?' : ''}`;
      expect(page.includes(`\`${shown}\``) || page.includes(`\n  ${shown}: `), `${name}.${shown}`).toBe(true);
    }
  }
});

test.each(Object.entries(OBJECTS))(
  '%s has the keys that docs/configuration.md describes as %s',
  (name, path) => {
    const members = exported.find(one => one.name === name)?.members.map(one => one.name) ?? [];
    const inherited = name === 'EndpointProps' ? KIND_SETTINGS.map(setting => setting.name) : [];
    const keys =
      keysOf(configSchema)
        .get(path)
        ?.map(({ key }) => key) ?? [];
    expect([...members, ...inherited].toSorted()).toEqual(keys.toSorted());
  },
);
