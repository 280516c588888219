import type { Json } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/answers.ts';
import type { Probed } from '../service/probe.ts';

/** Settings in the form of a workspace and a process of the configuration. */
export interface Proposal {
  readonly workspace?: Readonly<Record<string, Json>>;
  readonly process?: Readonly<Record<string, Json>>;
}

/** A finding, with the settings that it proposes. */
export interface Judged extends Finding {
  readonly settings?: Proposal;
}

export type Asked = readonly Pick<Probed, 'request'>[];

/** The requests that a finding rests on, and the answers in short. */
export interface Evidence {
  readonly asked: Asked;
  readonly came: string;
}

const MAX_LENGTH = 60;
const MAX_NAMES = 12;
const MAX_REQUESTS = 4;
/** The cursor of a request may have thousands of characters. */
const MAX_REQUEST_LENGTH = 200;

/** Makes the findings about one topic. */
export function topicOf(topic: string) {
  const finding =
    (verdict: Finding['verdict']) =>
    (found: string, { asked, came }: Evidence, remedy?: string): Judged => {
      const requests = [...new Set(asked.map(({ request }) => cut(request, MAX_REQUEST_LENGTH)))];
      const rest = requests.length - MAX_REQUESTS;
      if (rest > 1) requests.splice(MAX_REQUESTS, rest, `and ${rest} more like these`);
      return { topic, verdict, found, asked: requests, came, ...(remedy && { remedy }) };
    };
  const unknown = finding('unknown');
  return {
    topic,
    ...{ unknown, fine: finding('fine'), warning: finding('warning') },
    /** For a finding from which settings follow. By default the remedy names them. */
    setting(text: string, on: Evidence, settings: Proposal, remedy?: string): Judged {
      const [name] = Object.keys({ ...settings.workspace, ...settings.process });
      return { ...finding('setting')(text, on, remedy ?? `Set ${name} as below.`), settings };
    },
    /** For an answer without a usable body. */
    failed: (answer: Probed, remedy = 'Fix the cause, then run the doctor again.') =>
      unknown('It could not be checked.', { asked: [answer], came: outcome(answer) }, remedy),
  };
}

/** For points that only an edit shows. */
export const WATCH = 'Run the doctor with --watch, and edit a task while it runs.';

export const outcome = ({ failure, status }: Probed): string => failure ?? `status ${status}`;

/** Text from the service in a form that is safe to print: short, with invisible and control characters escaped. */
export function shown(text: string): string {
  const escaped = (sign: string) => `\\u{${sign.codePointAt(0)?.toString(16)}}`;
  return cut(text, MAX_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
}

function cut(text: string, length: number): string {
  const start = [...text.slice(0, 2 * length)].slice(0, length).join('');
  return start.length < text.length ? `${start}…` : start;
}

/** Names of properties, as a list in words. */
export function listed(names: Iterable<string>): string {
  const all = [...new Set(names)];
  if (all.length === 0) return 'nothing';
  const rest = all.length - MAX_NAMES;
  return `${all.slice(0, MAX_NAMES).map(shown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A time as ISO text. */
export const timeText = (time: number): string => new Date(time).toISOString();

/** `1 project`, `2 projects`, `3 entries`. */
export const counted = (count: number, what: string): string =>
  `${count} ${count === 1 ? what : what.replace(/y$/, 'ie').concat('s')}`;

/** A duration in words: `3 s`, `5 min`, `2 h`. */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
