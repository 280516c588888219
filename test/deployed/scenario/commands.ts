import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HOSTS } from '../config.ts';
import { REGION } from '../emulator/environment.ts';
import type { Operator } from '../operators.ts';
import { until } from '../until.ts';
import { CONTRACT } from '../words.ts';
import { type OwnEmulator, PROCESS, type World } from '../world.ts';

const COMMAND = fileURLToPath(new URL('../../../cli/changewire.js', import.meta.url));
const NAME = 'by-command';

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What operators do every day: one command each, as they type it, with no right but that of `ActPolicyArn`. */
export async function commands(world: World, own: OwnEmulator): Promise<void> {
  const { report, operators, stack } = world;
  const { act } = await operators();
  const type = (line: string, name = stack.name) =>
    changewire(`${line} --stack ${name} --region ${REGION}`, own.gate.endpoint, act);
  const check = (what: string, line: string, holds: (said: Said) => unknown = () => undefined) =>
    report.check(`${what}: changewire ${line.replace(/ --secret \S+/, '')}`, async () => {
      const said = await type(line);
      assert.equal(said.code, 0, said.err);
      await holds(said);
    });
  report.part('The command');
  await check('status', 'status', ({ out }) => assert.match(out, new RegExp(PROCESS)));
  await check('sweep now', `sweep ${PROCESS}`);
  // It was put on hold before.
  await check('release', `release ${CONTRACT[1].processId} --yes`);
  await ofAnEndpoint(world, own, check);
  await report.check('a stack that is not there is told of, with exit code 1', async () => {
    const { code, err } = await type('status', 'Nobody');
    assert.deepEqual(
      [code, /function Nobody-operate with the alias look does not exist|not allowed to invoke/.test(err)],
      [1, true],
      err,
    );
  });
}

async function ofAnEndpoint(
  { edits }: World,
  { receivers: { added } }: OwnEmulator,
  check: (what: string, line: string, holds?: (said: Said) => unknown) => Promise<void>,
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

async function changewire(line: string, endpoint: string, operator: Operator): Promise<Said> {
  const child = spawn(process.execPath, [COMMAND, ...line.split(' ')], {
    env: {
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: operator.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: operator.credentials.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', text => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    said.err += text;
  });
  const [code] = await once(child, 'close');
  return { code: Number(code), ...said };
}
