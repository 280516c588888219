import type { Json } from '../../basics/json.ts';
import { IDENTIFIER } from '../../changes/compare-record.ts';
import type { EndpointSettings } from '../../model/endpoint.ts';
import { isDay } from '../../model/filter-value.ts';
import type { ChatField } from './chat-relevance.ts';
import type { ChatRecord, ChatTopic } from './chat-topic.ts';

type Local = Pick<EndpointSettings, 'locale' | 'timeZone'>;

/** The types of fields whose values may be dates or numbers: custom ones, built-in ones, and unknown ones. */
const TYPES: readonly unknown[] = ['date', 'number', 'string', undefined];

/** A topic with the dates and numbers of its values as people in the endpoint's locale write them. Without a locale
 *  they stay as the service writes them. */
export function inLocale(topic: ChatTopic, local: Local): ChatTopic {
  if (local.locale === undefined) return topic;
  const records = topic.records.map(record =>
    record.entity === 'project' || record.entity === 'task'
      ? {
          ...record,
          fields: record.fields.map(field => localField(field, local)),
          ...(record.due && { due: localDue(record.due, local) }),
        }
      : record,
  );
  return { ...topic, records };
}

function localField(field: ChatField, local: Local): ChatField {
  const { kind, type, name } = field;
  if (!TYPES.includes(type)) return field;
  const isNumber = type === 'number' || (type === undefined && typeof field.to === 'number');
  // An identifier is not a quantity.
  if (isNumber && kind === 'builtin' && IDENTIFIER.test(name)) return field;
  const write = (value: Json) => (isNumber ? localNumber(value, local) : localDate(value, local)) ?? value;
  const [from, to] = [write(field.from), write(field.to)];
  // Two times within a minute would look alike.
  return from === to ? field : { ...field, from, to };
}

type Due = NonNullable<ChatRecord['due']>;

function localDue(due: Due, local: Local): Due {
  const { at = Number.NaN, isDay, date } = due;
  if (Number.isNaN(at)) return { ...due, date: localDate(date, local) ?? date };
  const { timeZone = 'UTC' } = local;
  return {
    ...due,
    date: (isDay ? format(at, { ...local, timeZone }, undefined) : localTime(at, local)) ?? date,
  };
}

/** Written with all its decimal places. Undefined for what is not a plain decimal number. */
function localNumber(value: Json, { locale }: Local): string | undefined {
  const [text, decimals = ''] = /^[+-]?\d{1,40}(?:\.(\d{1,20}))?$/.exec(String(value)) ?? [];
  if (text === undefined) return undefined;
  const digits = { minimumFractionDigits: decimals.length, maximumFractionDigits: decimals.length };
  return new Intl.NumberFormat(locale, digits).format(text as Intl.StringNumericLiteral);
}

const DATE = /^\d{4}-\d\d-\d\d(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** A date, or a date with a time. Undefined for any other value, and for days that no calendar has. */
function localDate(value: Json, local: Local): string | undefined {
  const [text, time, zone] = (typeof value === 'string' && DATE.exec(value)) || [];
  if (text === undefined || !isDay(text.slice(0, 10))) return undefined;
  if (time !== undefined && zone !== undefined) return localTime(Date.parse(text), local);
  // Without a zone it is the same day or time everywhere.
  const at = Date.parse(time === undefined ? text : `${text}Z`);
  const timeStyle = time === undefined ? undefined : ('short' as const);
  return Number.isNaN(at) ? undefined : format(at, { ...local, timeZone: 'UTC' }, timeStyle);
}

/** A moment, in ms since 1970, in the time zone of the endpoint, else in UTC, which is then named. */
function localTime(at: number, local: Local): string | undefined {
  const { timeZone = 'UTC' } = local;
  if (Number.isNaN(at)) return undefined;
  return `${format(at, { ...local, timeZone }, 'short')}${local.timeZone === undefined ? ' UTC' : ''}`;
}

/** When changes were observed, for chats that show no times in the reader's time zone. */
export function timeText({ after, before }: NonNullable<ChatTopic['observed']>, local: Local = {}): string {
  const [first, last] = [after, before].map(time =>
    local.locale === undefined
      ? `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
      : localTime(time, local),
  ) as [string, string];
  return first === last ? `seen ${last}` : `between ${first.replace(/ UTC$/, '')} and ${last}`;
}

function format(at: number, { locale, timeZone }: Local, timeStyle: 'short' | undefined): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone }).format(at);
}
