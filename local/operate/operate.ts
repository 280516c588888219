import {
  addEndpoint,
  attemptsOf,
  finishRotation,
  listEndpoints,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../functions/operations/endpoints.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { startReplay } from '../../functions/operations/replay.ts';
import { resend } from '../../functions/operations/resend.ts';
import { testEndpoint } from '../../functions/operations/test-event.ts';
import { failure } from '../cli/failure.ts';
import { UsageError } from '../cli/usage-error.ts';
import { openHouse } from './house.ts';
import { type Asked, askedOf, HELP } from './options.ts';
import { attemptLine, endpointLine } from './show.ts';

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

type House = Awaited<ReturnType<typeof openHouse>>;

const SHOWN_ATTEMPTS = 20;

/** Does what the command line asks for. @returns the exit code: 1 when it could not be done, 2 when it was asked wrongly */
export async function operate(args: readonly string[], streams: Streams): Promise<number> {
  if (args.length === 0 || args.includes('--help')) {
    streams.out(HELP.trimEnd());
    return 0;
  }
  try {
    const asked = askedOf(args, Date.now());
    const house = await openHouse(asked.data, streams.err);
    try {
      return await DO[asked.command as keyof typeof DO](asked, house, streams);
    } finally {
      house.close();
    }
  } catch (error) {
    streams.err(error instanceof Refused || error instanceof UsageError ? error.message : failure(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

type Command = (asked: Asked, house: House, streams: Streams) => Promise<number>;

const DO = {
  async list(_asked, house, { out }) {
    const all = await listEndpoints(house);
    for (const one of all) out(endpointLine(one, Date.now()));
    if (all.length === 0) out('There is no endpoint. Add one: npm run endpoints -- add NAME --webhook URL');
    return 0;
  },
  async add({ what: name, kind, url = '', secrets, filter, perSecond, keepSuccesses }, house, { out }) {
    if (!kind) throw new UsageError('add takes --webhook URL, --slack URL or --teams URL.');
    const { secret } = await addEndpoint(
      { name, kind, url, secrets, filter, perSecond, keepSuccesses },
      house,
    );
    out(`${name}: added; the run serves it within seconds.`);
    if (secret !== undefined) out(`Its events are signed with ${secret}, which is shown only here.`);
    return 0;
  },
  async update({ what: name, url, filter, perSecond, keepSuccesses }, house, { out }) {
    await updateEndpoint(name, { url, filter, perSecond, keepSuccesses }, house);
    out(`${name}: changed; the run obeys within seconds.`);
    return 0;
  },
  async pause({ what: name }, house, { out }) {
    await pauseEndpoint(name, house);
    out(`${name}: paused; what comes waits until it is resumed.`);
    return 0;
  },
  async resume({ what: name }, house, { out }) {
    await resumeEndpoint(name, house);
    out(`${name}: resumed; what waits is sent, the oldest first.`);
    return 0;
  },
  async remove({ what: name }, house, { out }) {
    await removeEndpoint(name, house);
    out(`${name}: removed, with its secret and all that waited for it.`);
    return 0;
  },
  async 'rotate-secret'({ what: name, finish, secrets: [given] }, house, { out }) {
    if (finish) {
      await finishRotation(name, house);
      out(`${name}: signs with the new secret alone.`);
      return 0;
    }
    const { secret } = await rotateSecret(name, house, given);
    out(
      `${name}: signs with ${secret} and with the one before. Tell the receiver, then drop the old one with --finish.`,
    );
    return 0;
  },
  async test({ what: name }, house, { out }) {
    const attempt = await testEndpoint(name, house);
    out(attemptLine(attempt, Date.now()));
    return attempt.failure === undefined ? 0 : 1;
  },
  async attempts({ what: name }, house, { out }) {
    const all = await attemptsOf(name, SHOWN_ATTEMPTS, house);
    for (const attempt of all) out(attemptLine(attempt, Date.now()));
    if (all.length === 0) out(`${name}: no attempt in the last 7 days.`);
    return 0;
  },
  async resend({ what: eventId, to }, house, { out, err }) {
    if (to === undefined) throw new UsageError('resend takes --to NAME.');
    const resent = await resend(eventId, to, house);
    if (!('closed' in resent)) {
      const isUnknown = resent.answer === 'unknown endpoint';
      err(isUnknown ? 'There is no endpoint of this name.' : 'There is no such event in the last 30 days.');
      return 1;
    }
    const when =
      resent.closed === undefined ? '' : ` It goes out once the endpoint is not ${resent.closed} any more.`;
    out(`${to}: ${resent.answer === 'sent' ? 'gets it once more' : 'waits for it already'}.${when}`);
    return 0;
  },
  async replay({ what: endpoint, since, until }, house, { out }) {
    if (since === undefined) throw new UsageError('replay takes --since TIME, such as --since 2h.');
    const replay = await startReplay({ endpoint, since, until }, house);
    out(
      `${endpoint}: gets what was committed from ${new Date(replay.since).toISOString()} to ` +
        `${new Date(replay.until).toISOString()} once more, through its filter.`,
    );
    return 0;
  },
} satisfies Record<string, Command>;
