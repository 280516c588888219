import { KIND_SETTINGS, type KindSettingName } from '../../functions/model/kinds.ts';
import { FILTER_LABELS, type FilterForm } from './filter-form.ts';

/** The errors of an endpoint's form, by field. */
export type FormErrors = Readonly<Partial<Record<FormField, string>>>;
export type FormField =
  | 'name'
  | 'url'
  | 'secret'
  | 'headers'
  | 'perSecond'
  | KindSettingName
  | keyof FilterForm
  | 'other';

/** Texts of the form, in place of refusals that name the keys of the configuration. */
const NAME = 'Use 1 to 64 letters, digits, “-” and “_”.';
const RATE = 'Use a whole number from 1 to 100.';
const TAKEN = 'An endpoint with this name already exists. Choose another name.';

/** Reads a refusal, which has a line for each problem. A line that is not about a field is `other`. */
export function formErrors(refusal: string): FormErrors {
  const errors = new Map<FormField, Set<string>>();
  for (const line of refusal.split('\n')) {
    const [field, text] = errorIn(line);
    errors.set(field, (errors.get(field) ?? new Set()).add(text));
  }
  return Object.fromEntries([...errors].map(([field, texts]) => [field, [...texts].join('\n')]));
}

function errorIn(line: string): [field: FormField, text: string] {
  if (/^(name|endpoint): /.test(line)) return ['name', NAME];
  if (line.startsWith('There is an endpoint of this name')) return ['name', TAKEN];
  if (line.startsWith('url: ')) return ['url', line.replace(/^url: /, '')];
  if (line.startsWith('headers: ')) return ['headers', plain(line.replace(/^headers: /, ''))];
  if (line.startsWith('perSecond: ')) return ['perSecond', RATE];
  const [, key, found = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
  const setting = KIND_SETTINGS.find(({ name }) => name === key);
  if (setting) return [setting.name, plain(found)];
  if (/signing secret/i.test(line) || line.startsWith('secrets')) return ['secret', line];
  if (line.startsWith('filter.where')) return ['where', line.replace(/^filter\.where(: )?/, '')];
  const [, part = '', text = ''] = /^filter\.(\w+)\S*: (.*)$/.exec(line) ?? [];
  return isPart(part) ? [part, plain(text)] : ['other', line];
}

/** Whether a field belongs to the filter. */
export function isPart(field: string): field is keyof FilterForm {
  return Object.hasOwn(FILTER_LABELS, field);
}

/** The allowed values, with the parts of the filter by their labels. */
function plain(text: string): string {
  const [, allowed] = /^found .*?; allowed: (.*)$/.exec(text) ?? [];
  const shown = allowed === undefined ? text.replace(/^found /, '') : `${allowed}.`;
  const named = shown.replaceAll(/filter\.(\w+)/g, (whole, part: string) =>
    isPart(part) ? FILTER_LABELS[part] : whole,
  );
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}`;
}
