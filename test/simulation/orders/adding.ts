import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import { addEndpoint } from '../../../functions/operations/endpoint-settings.ts';
import { removeEndpoint } from '../../../functions/operations/endpoints.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { waitingOnes } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';
import type { Meeting, MeetingWorld, Party, Place, Reaching } from './meeting.ts';
import { answerOf, operationsOf } from './operating.ts';

/** What an operator does with a name. */
type Role = 'adds' | 'removes';

const NAME = 'crm';
/** After this time an operation that died refuses no other one. */
const LATER_MS = 61_000;

/** Operators that add and remove endpoints of one name. */
export function addingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  const pairs = [
    ['adds', 'adds'],
    ['adds', 'removes'],
    ['removes', 'removes'],
  ] as const;
  return pairs.map(roles => operatorsOfName(storage, roles));
}

export function operatorsOfName(
  storage: MeetingWorld['storage'],
  roles: readonly Role[],
  hasFault = true,
): MeetingWorld {
  const name = `one name: an operator ${roles.join(', another ')}, ${storage}`;
  return { name, storage, hasFault, meeting: place => meetingOf(place, roles) };
}

/** An endpoint has the address and secret of the operation that was told to have added it, and the name is never left without both. */
function meetingOf(place: Place, roles: readonly Role[]): Meeting {
  const texts = new Map<string, string>();
  const answers = new Map<string, string>();
  const operate = async (reaching: Reaching, role: Role, id: string): Promise<boolean> => {
    const more = { address: { resolve: async () => [{ address: '93.184.216.34', family: 4 }] } };
    const context = operationsOf(reaching, { id, texts, more });
    const of = { endpoint: NAME, kind: 'webhook', url: `https://${id.toLowerCase()}.example/` } as const;
    const answer = await answerOf<object>(
      role === 'removes'
        ? removeEndpoint(context, { operation: 'remove-endpoint', endpoint: NAME })
        : addEndpoint(context, { operation: 'add-endpoint', ...of }),
    );
    if (answer && 'secret' in answer) answers.set(of.url, String(answer.secret));
    return answer !== undefined;
  };
  const isRemoved = roles.includes('removes');
  const check = (isWhole: boolean): void => {
    const { settings, origin } = rowIn(place);
    const { url, secrets } = JSON.parse(texts.get(NAME) ?? '{}') as { url?: string; secrets?: string[] };
    if (settings && `${origin}/` !== url)
      throw new Violation(11, `the endpoint of ${origin} has the secret of ${url}`);
    if (!isWhole) return;
    if (!settings && url) throw new Violation(11, 'the secret of a removed endpoint was kept');
    for (const [added, secret] of answers)
      if (secrets?.[0] !== secret) throw new Violation(11, `${added} was added, and its secret is lost`);
  };
  return {
    parties: roles.map(
      (role, index): Party => ({
        name: role,
        run: reaching => operate(reaching, role, 'AB'[index] as string),
      }),
    ),
    prepare: async free => {
      if (isRemoved) await operate(free, 'adds', 'O');
      answers.clear();
      await free.ports.deliveries.add(waitingOnes(1));
    },
    check: () => check(false),
    checkEnd: async (free, struck) => {
      check(struck.size === 0);
      const isAnyDone = isRemoved || answers.size === 1;
      if (struck.size === 0 && !isAnyDone) throw new Violation(11, `${answers.size} of two were added`);
      place.scheduler.freeze(LATER_MS);
      await operate(free, 'removes', 'C');
      const rows = [...place.storage.items()].filter(({ pk }) => pk?.S?.startsWith('ENDPOINT'));
      if (texts.size > 0 || rows.some(({ sk }) => sk?.S === NAME))
        throw new Violation(11, 'a removed endpoint left its row or secret');
      if (!(await operate(free, 'adds', 'D'))) throw new Violation(11, 'the name can not be used any more');
    },
    state: () => [...texts, ...answers],
  };
}

function rowIn({ storage }: Place): Partial<EndpointRow> {
  const item = [...storage.items()].find(({ pk, sk }) => pk?.S === ENDPOINTS && sk?.S === NAME);
  return JSON.parse(item?.row?.S ?? '{}');
}
