import { configSchema } from '../../functions/config/schema.ts';
import { embedBetween, item } from '../markdown.ts';
import { type Key, keysOf } from './keys.ts';

const TOP = 'Top level';
/** More choices than these are on the page to which the meaning links. */
const MAX_CHOICES = 6;

/** A longer type is given once per list: `as `<key>`` after that. */
const MAX_REPEATED_WORDS = 5;

/** docs/configuration.md with its reference between the markers: a list for each object of the schema. */
export function configurationPage(page: string): string {
  return embedBetween(page, 'reference', reference(keysOf(configSchema)));
}

/** The lists. Objects with the same keys share one, under the shortest of their paths. */
export function reference(objects: ReadonlyMap<string, readonly Key[]>): string {
  const paths = [...objects.keys()];
  const sameAs = new Map(
    paths.map(path => {
      const keys = JSON.stringify(objects.get(path));
      const equal = paths.filter(other => JSON.stringify(objects.get(other)) === keys);
      return [path, equal.toSorted((a, b) => a.length - b.length)[0] ?? path] as const;
    }),
  );
  const headingOf = (path: string) => sameAs.get(path) ?? sameAs.get(`${path}[]`);
  return paths
    .filter(path => sameAs.get(path) === path)
    .map(path => {
      const first = new Map<string, string>();
      const items = (objects.get(path) ?? []).map(key => {
        const type = typeText(key, headingOf(path === '' ? key.key : `${path}.${key.key}`));
        const same = first.get(type);
        if (same === undefined) first.set(type, key.key);
        const isRepeated = same !== undefined && type.split(' ').length > MAX_REPEATED_WORDS;
        return item(key.key, defaultText(key), `${isRepeated ? `as \`${same}\`` : type}. ${key.meaning}`);
      });
      const heading = path === '' ? TOP : `\`${path}\``;
      return `### ${heading}\n\n${items.join('\n')}`;
    })
    .join('\n\n');
}

/** The type and range. `object`: the heading of the object that it holds. */
function typeText({ allowed, choices }: Key, object: string | undefined): string {
  const short = allowed
    .replace(/^an? /, '')
    .replace(/^list of at least one of ([^;]+)/, 'non-empty list of $1')
    .replaceAll(': a whole number with s, m, h or d', '')
    .replace('; each text of 1 to 256 characters', '')
    .replace(choices.length > MAX_CHOICES ? /; each one of .*/ : /$^/, '');
  if (object === undefined) return short;
  const link = (text: string) => `[${text}](#${anchor(object)})`;
  if (/^(non-empty )?list of/.test(short)) return link(short);
  return short.replace(/(?:an )?object with the keys [\w, ]+/, link('object'));
}

function defaultText({ default: standard, otherwise }: Key): string {
  if (standard === undefined) return otherwise ?? '';
  return standard === 'required' ? standard : `\`${standard}\``;
}

function anchor(path: string): string {
  return path.replaceAll(/[^\w]/g, '').toLowerCase();
}
