import type { ProcessKey } from '../basics/process.ts';
import type { DoctorAnswer } from '../operations/protocol/answers.ts';
import type { ProbedToken, ServiceProbe } from '../service/probe.ts';
import { type Asker, type AskerOptions, createAsker, type ListRead, readProjects } from './asker.ts';
import { examineDeleted, examineLog } from './audit-log.ts';
import { counted, type Judged, outcome, type Proposal, span, timeText, topicOf } from './finding.ts';
import { examineCursors, examinePageSizes, judgeEmpty, judgeLists, judgeOrder } from './lists.ts';
import { examineRecords, examineStability, judgeDefinitions, judgeIdentifiers } from './records.ts';
import { settingsOf, withConfigured } from './settings.ts';
import { createSurvey, type Survey } from './survey.ts';
import { examineTaskEdits, examineUpdatedAfter, judgeUpdateTimes } from './updates.ts';

/** The checks, in the order of the report. The last ones judge the answers of the others. */
const CHECKS: Readonly<Record<string, (survey: Survey) => Judged[] | Promise<Judged[]>>> = {
  'token life': survey => [judgeToken(survey.token)],
  'list names': judgeLists,
  identifiers: judgeIdentifiers,
  clock: judgeClock,
  'update times': judgeUpdateTimes,
  updatedAfter: examineUpdatedAfter,
  'task edits': examineTaskEdits,
  'audit log': examineLog,
  definitions: survey => [judgeDefinitions('project', survey), judgeDefinitions('task', survey)],
  paging: async survey => [judgeOrder(survey), await examineCursors(survey), judgeEmpty(survey)],
  'page size': examinePageSizes,
  'deleted projects': examineDeleted,
  records: examineRecords,
  'fields that change by themselves': examineStability,
  'rate limits': ({ asker }) => [judgeLimits(asker)],
};

export interface DoctorOptions extends AskerOptions {
  /** Opens a probe of a workspace; it is closed at the end. @throws for an unknown workspace */
  readonly open: (workspace: string) => ServiceProbe;
  /** The settings that are configured already. */
  readonly configured?: (process: ProcessKey) => Proposal;
}

/** Examines one process for points that the API document leaves open, with a few dozen read-only requests. */
export function createDoctor(options: DoctorOptions): (process: ProcessKey) => Promise<DoctorAnswer> {
  return key => answerWith(options, key, examine);
}

/** Opens a probe for `examineProcess`, and answers with its findings and the settings that follow. */
export async function answerWith(
  options: DoctorOptions,
  key: ProcessKey,
  examineProcess: (asker: Asker) => Promise<readonly Judged[]>,
): Promise<DoctorAnswer> {
  const { workspace, processId: process } = key;
  const probe = options.open(workspace);
  try {
    const known = options.configured?.(key) ?? {};
    const judged = await examineProcess(createAsker(probe, process, options));
    const adjusted = judged.map(each => withConfigured(each, known));
    return {
      ...{ at: timeText(options.clock()), workspace, process },
      findings: adjusted.map(({ settings: _, ...finding }) => finding),
      settings: settingsOf(adjusted),
    };
  } finally {
    await probe.close();
  }
}

/** Gets a token and the projects. `refusal`: why nothing can be examined. */
export async function begin(asker: Asker) {
  const answer = await asker.token();
  if (answer.failure !== undefined) return { findings: [judgeToken(answer)], refusal: 'no token' };
  const projects = await readProjects(asker);
  const process = judgeProcess(projects);
  if (projects.answers.length === 0)
    return { findings: [judgeToken(answer), process], refusal: 'the process cannot be read' };
  return { findings: [process], survey: () => createSurvey(asker, answer, projects) };
}

async function examine(asker: Asker): Promise<Judged[]> {
  const begun = await begin(asker);
  if ('refusal' in begun) {
    const { findings, refusal } = begun;
    const others = Object.keys(CHECKS).filter(topic => !findings.some(finding => finding.topic === topic));
    const on = { asked: [], came: 'nothing' };
    return [...findings, ...others.map(topic => topicOf(topic).unknown(`Not checked: ${refusal}.`, on))];
  }
  const all = [...begun.findings];
  const survey = begun.survey();
  for (const [topic, check] of Object.entries(CHECKS)) {
    const before = asker.received.length;
    try {
      all.push(...(await check(await survey)));
    } catch (error) {
      // A failure in one check is a finding, and doesn't stop the others.
      const came = error instanceof Error ? error.message : 'an unknown error';
      const on = { asked: asker.received.slice(before), came };
      all.push(topicOf(topic).unknown('It could not be checked.', on, 'Run the doctor again.'));
    }
  }
  return all;
}

const PROCESS = topicOf('process');
const TOKEN = topicOf('token life');
const CLOCK = topicOf('clock');
const LIMITS = topicOf('rate limits');

/** A token is renewed a minute early, or after 80 % of a short lifetime. */
const SHORT_LIFE_MS = 30_000;
/** A `Date` header counts whole seconds, and the answer needed some time to arrive. */
const SAME_MS = 2_000;
/** A `Date` that differs more from our clock is not used. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

function judgeProcess({ answers, failure, pages, items, isWhole }: ListRead): Judged {
  if (answers.length > 0) {
    const came = `${isWhole ? '' : 'more than '}${counted(items.length, 'project')} on ${counted(pages.length, 'page')}`;
    return PROCESS.fine('Its projects can be listed.', { asked: answers, came });
  }
  const on = failure ? { asked: [failure], came: outcome(failure) } : { asked: [], came: 'nothing' };
  const remedy =
    failure && failure.status === undefined
      ? unreachable('base')
      : 'Check the process id, the base URL (EU or US), and the permissions of the credentials.';
  return PROCESS.warning('Its projects cannot be listed.', on, remedy);
}

const unreachable = (address: string) =>
  `No answer from the ${address} URL (EU or US): check its host and port, and any proxy or firewall.`;

/** The lifetime of a token, and the part of the answer that it comes from (service-api.md §5). */
function judgeToken(answer: ProbedToken): Judged {
  const { failure, isUnreachable, lifetime = 0, lifetimeFrom } = answer;
  const asked = [answer];
  if (failure !== undefined) {
    const remedy = isUnreachable
      ? unreachable('authentication')
      : 'Check client id, client secret, audience and the authentication URL (EU or US).';
    return TOKEN.warning('Could not get a token.', { asked, came: failure }, remedy);
  }
  const life = `${Math.round(lifetime / 1000)} s`;
  if (lifetimeFrom === 'nothing') {
    const text = `The lifetime of a token is unknown; ${life} is assumed, and a rejected token is renewed.`;
    const came = 'a token without expires_in, and without an exp that could be read';
    return TOKEN.warning(text, { asked, came });
  }
  const source = lifetimeFrom === 'exp' ? 'its own exp; the answer has no expires_in' : 'expires_in';
  const text = `A token is valid for ${life}, according to ${source}.`;
  const on = { asked, came: `a token for ${life}` };
  if (lifetime >= SHORT_LIFE_MS) return TOKEN.fine(text, on);
  const remedy = 'Ask the operator of the service for a longer lifetime.';
  return TOKEN.warning(`${text} It is renewed every few requests.`, on, remedy);
}

/** Whether answers have a `Date`, and how far it is from our clock. */
function judgeClock({ projects: { answers } }: Survey): Judged[] {
  const asked = answers.slice(0, 1);
  const { date, at = 0 } = answers[0] ?? {};
  const came =
    date === undefined ? 'no Date header' : `Date: ${timeText(date)}, at ${timeText(at)} by our clock`;
  if (date === undefined || Math.abs(date - at) > MAX_AHEAD_MS) {
    const text =
      'Answers have no usable Date header. Passes use update times instead, or else the local clock.';
    const remedy = 'Set dateHeader as below, and keep the clock of the machine correct (NTP). On AWS it is.';
    return [CLOCK.setting(text, { asked, came }, { workspace: { dateHeader: false } }, remedy)];
  }
  const ahead = date - at;
  const differs = `is ${span(ahead)} ${ahead > 0 ? 'later' : 'earlier'} than`;
  const how = Math.abs(ahead) <= SAME_MS ? 'agrees with' : differs;
  return [
    CLOCK.fine(`The service's clock ${how} ours. Changewire uses the service's clock.`, { asked, came }),
  ];
}

/** The rate limits that the doctor's own requests hit. */
function judgeLimits({ received }: Asker): Judged {
  const asked = received.filter(({ status }) => status === 429);
  const times = received.map(({ took }) => took).sort((one, other) => one - other);
  const middle = times[Math.floor(times.length / 2)] ?? 0;
  const came = `${counted(received.length, 'request')}, answered in ${middle} ms, the slowest in ${times.at(-1) ?? 0} ms`;
  if (asked.length === 0) return LIMITS.fine('None was hit with one request at a time.', { asked, came });
  const waits = asked.map(({ retryAfter: wait }) => (wait === undefined ? 'no Retry-After' : span(wait)));
  const text = `${counted(asked.length, 'request')} hit a limit (429), even one at a time. Passes obey Retry-After, and adapt to the accepted rate.`;
  const remedy =
    'No action needed while passes finish in time; otherwise set longer intervals for changes and sweep.';
  const waited = `${came}; requested waits: ${[...new Set(waits)].join(', ')}`;
  return LIMITS.warning(text, { asked, came: waited }, remedy);
}
