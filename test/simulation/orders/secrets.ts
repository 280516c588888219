import { isDeepStrictEqual } from 'node:util';
import type { EndpointSecret } from '../../../functions/model/endpoint.ts';
import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import {
  finishRotation,
  rotateSecret,
  updateEndpoint,
} from '../../../functions/operations/endpoint-settings.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { Violation } from '../oracle/violation.ts';
import type { Storage } from '../storage/storage.ts';
import type { Meeting, MeetingWorld, Party, Place, Reaching } from './meeting.ts';
import { answerOf, callOf, operationsOf } from './operating.ts';

/** What an operator does with the secret of one endpoint. `updates`: it sets a header, which is a part of it. */
type Role = 'rotates' | 'finishes' | 'updates';

const NAME = 'crm';
const FIRST = { url: 'https://crm.example/', secrets: [keyOf('first')] };
const ROTATING = { ...FIRST, secrets: [keyOf('second'), keyOf('first')] };
/** After this time an operation that died refuses no other one. */
const LATER_MS = 61_000;

/** Operators that change the secret of one endpoint, of which a rotation is in progress or not. */
export function secretWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  return (
    [
      [ROTATING, 'rotates', 'finishes'],
      [FIRST, 'rotates', 'finishes'],
      [FIRST, 'rotates', 'rotates'],
      [ROTATING, 'rotates', 'rotates'],
      [ROTATING, 'finishes', 'finishes'],
      [ROTATING, 'finishes', 'updates'],
      [FIRST, 'rotates', 'updates'],
    ] as const
  ).map(([begins, ...roles]) => operatorsOfSecret(storage, begins === ROTATING, roles));
}

export function operatorsOfSecret(
  storage: MeetingWorld['storage'],
  isRotating: boolean,
  roles: readonly Role[],
  hasFault = true,
): MeetingWorld {
  const name = `secret of an endpoint${isRotating ? ' in rotation' : ''}: ${roles.join(' and ')}, ${storage}`;
  const begins = isRotating ? ROTATING : FIRST;
  return { name, storage, hasFault, meeting: place => meetingOf(place, begins, roles) };
}

interface Done {
  readonly role: Role;
  /** The key that its answer told, if it told one. */
  readonly key: string | undefined;
  isAnswered: boolean;
  isRefused?: boolean;
  /** Those that had ended before it began. */
  readonly after: readonly Done[];
}

/** The secret is what the operations that were answered make of it, in one order in which they can have come; one that was refused has
 *  changed nothing, one that died all or nothing. */
function meetingOf(place: Place, begins: EndpointSecret, roles: readonly Role[]): Meeting {
  const texts = new Map([[NAME, JSON.stringify(begins)]]);
  const all: Done[] = [];
  const operate = async (reaching: Reaching, role: Role, id: string): Promise<void> => {
    const key = role === 'rotates' ? keyOf(id) : undefined;
    const done = await callOf(reaching, 'asks', (): Done => {
      const after = all.filter(({ isAnswered, isRefused }) => isAnswered || isRefused);
      all.push({ role, key, isAnswered: false, after });
      return all.at(-1) as Done;
    });
    let readAgainAfter = -1;
    const context = operationsOf(reaching, { id, texts });
    const { secrets } = context;
    const write: typeof secrets.write = async (...given) => {
      await secrets.write(...given);
      readAgainAfter = revisionIn(place.storage);
    };
    const answer = await answerOf(perform({ ...context, secrets: { ...secrets, write } }, role));
    if (answer && revisionIn(place.storage) <= readAgainAfter)
      throw new Violation(11, `${role} was answered, but runs need not read the secret again`);
    if (answer && key !== (answer as { secret?: string }).secret)
      throw new Violation(11, `${role} was answered another secret than ${key}`);
    const isAlone = all.every(each => each === done || done.after.includes(each));
    const isRotating = texts.get(NAME)?.includes(',"whsec') === true;
    if (!answer && isAlone && (role !== 'finishes' || isRotating))
      throw new Violation(11, `${role} was refused, though no other operation was in progress`);
    done[answer ? 'isAnswered' : 'isRefused'] = true;
  };
  const parties = roles.map(
    (role, index): Party => ({ name: role, run: reaching => operate(reaching, role, 'AB'[index] as string) }),
  );
  return {
    parties,
    prepare: ({ ports }) =>
      ports.rows.change(NAME, () => ({
        ...{ name: NAME, settings: { name: NAME, kind: 'webhook' }, health: {}, secretRevision: 1 },
      })),
    checkEnd: async (free, struck) => {
      const is = JSON.parse(texts.get(NAME) ?? '{}') as EndpointSecret;
      if (!ordersOf(all).some(order => isDeepStrictEqual(is, order.reduce(changed, begins))))
        throw new Violation(11, `no order of the operations makes ${JSON.stringify(is)}`);
      if (struck.size > 0) place.scheduler.freeze(LATER_MS);
      const last = await answerOf(perform(operationsOf(free, { id: 'C', texts }), 'rotates'));
      if (!last) throw new Violation(11, 'the secret cannot be rotated any more');
    },
    state: () => [...texts, all.map(({ after, ...done }) => ({ ...done, after: after.length }))],
  };
}

function perform(context: OperationsContext, role: Role): Promise<{ readonly answer: object }> {
  if (role === 'rotates') return rotateSecret(context, { operation: 'rotate-secret', endpoint: NAME });
  if (role === 'finishes') return finishRotation(context, { operation: 'finish-rotation', endpoint: NAME });
  return updateEndpoint(context, { operation: 'update-endpoint', endpoint: NAME, headers: { 'X-Key': 'k' } });
}

/** What one operation makes of a secret; a rotation that is not in progress is not finished. */
function changed(secret: EndpointSecret, { role, key }: Done): EndpointSecret {
  const { secrets = [] } = secret;
  if (key !== undefined) return { ...secret, secrets: [key, secrets.at(-1) as string] };
  if (role === 'updates') return { ...secret, headers: { 'X-Key': 'k' } };
  return { ...secret, secrets: secrets.slice(0, 1) };
}

/** All orders of those that changed something, with and without each one that died. */
function ordersOf(all: readonly Done[], made: readonly Done[] = []): Done[][] {
  const left = all.filter(each => !each.isRefused && !made.includes(each));
  const isWhole = !left.some(({ isAnswered }) => isAnswered);
  const next = left.filter(({ after }) => after.every(each => each.isRefused || made.includes(each)));
  return [...(isWhole ? [[...made]] : []), ...next.flatMap(each => ordersOf(all, [...made, each]))];
}

function revisionIn(storage: Storage): number {
  const item = [...storage.items()].find(({ pk, sk }) => pk?.S === ENDPOINTS && sk?.S === NAME);
  return (JSON.parse(item?.row?.S ?? '{}') as EndpointRow).secretRevision ?? 0;
}

function keyOf(id: string): string {
  return `whsec_${Buffer.alloc(32, id).toString('base64')}`;
}
