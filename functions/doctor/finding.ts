import type { Json } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';

/** Settings, as they stand in a workspace and in a process of the configuration. */
export interface Proposal {
  readonly workspace?: Readonly<Record<string, Json>>;
  readonly process?: Readonly<Record<string, Json>>;
}

/** A finding, with the settings that it proposes. */
export interface Judged extends Finding {
  readonly settings?: Proposal;
}

/** The requests that a finding rests on. */
export type Asked = readonly Pick<Probed, 'request'>[];

/** The requests that a finding rests on, and the answers in short. */
export interface Seen {
  readonly asked: Asked;
  readonly came: string;
}

const finding =
  (verdict: Finding['verdict']) =>
  (topic: string, text: string, { asked, came }: Seen, remedy?: string): Judged => {
    const requests = fewer([...new Set(asked.map(({ request }) => short(request)))]);
    return { topic, verdict, found: text, asked: requests, came, ...(remedy && { remedy }) };
  };

export const fine = finding('fine');
export const warning = finding('warning');
export const unknown = finding('unknown');

/** A finding from which settings follow. By default its remedy names them. */
export function setting(topic: string, text: string, on: Seen, settings: Proposal, remedy?: string): Judged {
  const [name] = Object.keys({ ...settings.workspace, ...settings.process });
  return { ...finding('setting')(topic, text, on, remedy ?? `Set ${name}, as below.`), settings };
}

/** The finding for an answer without a usable body. */
export function failed(
  topic: string,
  answer: Probed,
  remedy = 'Remove the cause, then ask the doctor again.',
): Judged {
  return unknown(topic, 'It could not be looked into.', { asked: [answer], came: outcome(answer) }, remedy);
}

/** What only an edit shows. */
export const WATCH = 'Ask with --watch, and edit a task in the meantime.';

/** Why an answer has no body, in words. */
export function outcome({ failure, status }: Probed): string {
  return failure ?? `status ${status}`;
}

const MAX_REQUESTS = 4;

function fewer(requests: readonly string[]): string[] {
  const rest = requests.length - MAX_REQUESTS;
  return rest > 1 ? [...requests.slice(0, MAX_REQUESTS), `and ${rest} more like these`] : [...requests];
}

const MAX_REQUEST_LENGTH = 200;

/** Shortens a request: its cursor may have thousands of characters. */
function short(request: string): string {
  return request.length > MAX_REQUEST_LENGTH ? `${request.slice(0, MAX_REQUEST_LENGTH)}…` : request;
}

const MAX_LENGTH = 60;
const MAX_NAMES = 12;

/** Text from the service in a form that is safe to print: at most 60 characters, with invisible ones and
 *  control characters escaped. */
export function shown(text: string): string {
  const start = [...text.slice(0, 2 * MAX_LENGTH)].slice(0, MAX_LENGTH).join('');
  const cut = start.length < text.length ? `${start}…` : start;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, sign => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** Names of properties, as a list in words. */
export function propertyList(names: Iterable<string>): string {
  const all = [...new Set(names)];
  if (all.length === 0) return 'nothing';
  const rest = all.length - MAX_NAMES;
  return `${all.slice(0, MAX_NAMES).map(shown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A time as ISO text. */
export function timeText(time: number): string {
  return new Date(time).toISOString();
}

/** `1 project`, `2 projects`, `3 entries`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : what.replace(/y$/, 'ie').concat('s')}`;
}

/** A duration in words: `3 s`, `5 min`, `2 h`. */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
