import type { ProbedToken } from '../service/probe.ts';
import type { Asker, ListRead } from './asker.ts';
import { counted, type Judged, outcome, span, timeText, topicOf } from './finding.ts';
import type { Survey } from './survey.ts';

const PROCESS = topicOf('process');
const TOKEN = topicOf('token life');
const CLOCK = topicOf('clock');
const LIMITS = topicOf('rate limits');

/** A token is renewed a minute early, or after 80 % of a short life: with a shorter one, every few requests. */
const SHORT_LIFE_MS = 30_000;
/** A `Date` header counts whole seconds, and the answer needed some time to arrive. */
const SAME_MS = 2_000;
/** A `Date` that differs more from our clock is not used. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Whether the process can be read at all, without which nothing else can be examined. */
export function judgeProcess({ answers, failure, pages, items, isWhole }: ListRead): Judged {
  if (answers.length > 0) {
    const came = `${isWhole ? '' : 'more than '}${counted(items.length, 'project')} on ${counted(pages.length, 'page')}`;
    return PROCESS.fine('Its projects can be listed.', { asked: answers, came });
  }
  const on = failure ? { asked: [failure], came: outcome(failure) } : { asked: [], came: 'nothing' };
  const remedy =
    failure && failure.status === undefined
      ? unreachable('base')
      : 'Check the id of the process, the base address (EU or US), and what the credentials may read.';
  return PROCESS.warning('Its projects can not be listed.', on, remedy);
}

const unreachable = (address: string) =>
  `Nothing answers at the ${address} address (EU or US): check its name and port, and the proxy or firewall between.`;

/** How long a token lives, and which part of the answer says so (service-api.md §5). */
export function judgeToken(answer: ProbedToken): Judged {
  const { failure, isUnreachable, lifetime = 0, toldBy } = answer;
  const asked = [answer];
  if (failure !== undefined) {
    const remedy = isUnreachable
      ? unreachable('authentication')
      : 'Check client id, client secret, audience and the authentication address (EU or US).';
    return TOKEN.warning('There is no token.', { asked, came: failure }, remedy);
  }
  const life = `${Math.round(lifetime / 1000)} s`;
  if (toldBy === 'nothing') {
    const text = `Nothing tells how long a token lives; ${life} are assumed, and a refused one is renewed.`;
    const came = 'a token without expires_in, and without an exp that could be read';
    return TOKEN.warning(text, { asked, came });
  }
  const source = toldBy === 'exp' ? 'its own exp; the answer has no expires_in' : 'expires_in';
  const text = `A token lives ${life}, as told by ${source}.`;
  const on = { asked, came: `a token for ${life}` };
  if (lifetime >= SHORT_LIFE_MS) return TOKEN.fine(text, on);
  const remedy = 'Ask the operator of the service for a longer life.';
  return TOKEN.warning(`${text} It is renewed every few requests.`, on, remedy);
}

/** Whether answers have a `Date`, and how far it is from our clock. */
export function judgeClock({ projects: { answers } }: Survey): Judged[] {
  const asked = answers.slice(0, 1);
  const { date, at = 0 } = answers[0] ?? {};
  const came =
    date === undefined ? 'no Date header' : `Date: ${timeText(date)}, at ${timeText(at)} by our clock`;
  if (date === undefined || Math.abs(date - at) > MAX_AHEAD_MS) {
    const text =
      'Answers do not tell the service’s time. Update times are taken for it, and our own clock where there are none.';
    const remedy = 'Set dateHeader, as below, and keep the clock of the machine right (NTP). On AWS it is.';
    return [CLOCK.setting(text, { asked, came }, { workspace: { dateHeader: false } }, remedy)];
  }
  const ahead = date - at;
  const differs = `is ${span(ahead)} ${ahead > 0 ? 'ahead of' : 'behind'}`;
  const how = Math.abs(ahead) <= SAME_MS ? 'agrees with' : differs;
  return [CLOCK.fine(`The service’s clock ${how} ours. Changewire goes by the service’s.`, { asked, came })];
}

/** Which rate limits the doctor's own requests met. */
export function judgeLimits({ met }: Asker): Judged {
  const asked = met.filter(({ status }) => status === 429);
  const times = met.map(({ took }) => took).sort((one, other) => one - other);
  const middle = times[Math.floor(times.length / 2)] ?? 0;
  const came = `${counted(met.length, 'request')}, answered in ${middle} ms, the slowest in ${times.at(-1) ?? 0} ms`;
  if (asked.length === 0) return LIMITS.fine('None was met, one request at a time.', { asked, came });
  const waits = asked.map(({ retryAfter: wait }) => (wait === undefined ? 'no Retry-After' : span(wait)));
  const text = `${counted(asked.length, 'request')} met a limit (429), though one was sent at a time. Passes wait as they are told, and find out how many a second are accepted.`;
  const remedy =
    'Nothing, as long as passes come to their ends in time; else set changes and sweep to longer times.';
  const waited = `${came}; told to wait: ${[...new Set(waits)].join(', ')}`;
  return LIMITS.warning(text, { asked, came: waited }, remedy);
}
