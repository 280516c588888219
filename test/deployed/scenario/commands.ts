import assert from 'node:assert/strict';
import { changewire, type Said } from '../command.ts';
import { CONTRACT, HOSTS } from '../config.ts';
import { REGION } from '../emulator/environment.ts';
import { until } from '../until.ts';
import { type OwnEmulator, PROCESS, type World } from '../world.ts';

const NAME = 'by-command';

/** What operators do every day: one command each, as they type it, with no right but that of `ActPolicyArn`. */
export async function commands(world: World, own: OwnEmulator): Promise<void> {
  const { report, operators } = world;
  const { act } = await operators();
  const check = await checkOf(world, own);
  report.part('The command');
  await check('status', 'status', ({ out }) => assert.match(out, new RegExp(PROCESS)));
  await check('sweep now', `sweep ${PROCESS}`);
  await ofAnEndpoint(world, own, check);
  await report.check('a stack that is not there is told of, with exit code 1', async () => {
    const { code, err } = await changewire(`status --stack Nobody --region ${REGION}`, {
      ...own.gate,
      ...act,
    });
    assert.deepEqual(
      [code, /function Nobody-operate with the alias look does not exist|not allowed to invoke/.test(err)],
      [1, true],
      err,
    );
  });
}

/** Releases the process that was put on hold, once its alarm has rung. */
export async function releaseHeld(world: World, own: OwnEmulator): Promise<void> {
  const check = await checkOf(world, own);
  await check('release', `release ${CONTRACT[1].processId} --yes`);
}

type Check = (what: string, line: string, holds?: (said: Said) => unknown) => Promise<void>;

/** Checks that a command of somebody who may act succeeds, and what it says. */
async function checkOf({ report, operators, stack }: World, own: OwnEmulator): Promise<Check> {
  const { act } = await operators();
  return (what, line, holds = () => undefined) =>
    report.check(`${what}: changewire ${line.replace(/ --secret \S+/, '')}`, async () => {
      const asked = { ...own.gate, ...act };
      const said = await changewire(`${line} --stack ${stack.name} --region ${REGION}`, asked);
      assert.equal(said.code, 0, said.err);
      await holds(said);
    });
}

async function ofAnEndpoint(
  { edits }: World,
  { receivers: { added } }: OwnEmulator,
  check: Check,
): Promise<void> {
  const [project = ''] = edits.projects();
  const { events, secret } = added;
  let id = '';
  await check('find an event', `events --process ${PROCESS} --project ${project} --limit 1 --json`, said => {
    id = (JSON.parse(said.out) as { id: string }).id;
  });
  await check(
    'add an endpoint',
    `endpoints add ${NAME} --webhook https://${HOSTS.added}/x --secret ${secret}`,
  );
  await check('test it', `endpoints test ${NAME}`, ({ out }) => assert.match(out, /204/));
  await check('stop it', `endpoints pause ${NAME}`);
  await check('send one event to it once more', `resend ${id} --to ${NAME}`);
  await check('why has it not come?', `trace ${id}`, ({ out }) => assert.match(out, /paused|waiting/));
  const before = events.events.length + events.repeated;
  const came = (count: number) => () =>
    until(90, () => assert.ok(events.events.length + events.repeated >= before + count));
  await check('start it', `endpoints resume ${NAME}`, came(1));
  await check('replay to it', `replay --to ${NAME} --since 1h --process ${PROCESS} --yes`, came(10));
  await check('what did it answer?', `endpoints attempts ${NAME}`, ({ out }) => assert.match(out, /204/));
  await check('who did that?', `actions --endpoint ${NAME}`, ({ out }) => assert.match(out, /user\/actor/));
  await check('remove it', `endpoints remove ${NAME} --yes`);
}
