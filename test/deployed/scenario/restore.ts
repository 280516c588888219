import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CREDENTIALS, REGION } from '../emulator/environment.ts';
import { held, type OwnEmulator, PROCESS, served, untilTold, WORKSPACE, type World } from '../world.ts';

const COMMAND = fileURLToPath(new URL('../../../cli/changewire.js', import.meta.url));

/** What docs/runbook.md says of a table that is restored: what changed since is told again, from what was known then. */
export async function restore(world: World, own: OwnEmulator): Promise<void> {
  const { report, stack, aws, edits } = world;
  const table = stack.output('TableName');
  const earlier = `${table}-earlier`;
  report.part('The table is restored');
  await report.check('DynamoDB makes the table of a moment beside it', () =>
    aws.restoreTable(table, earlier),
  );
  const [project = ''] = edits.projects();
  const told = edits.expected.length;
  edits.updateProject(project, 'summary', 'after-the-moment');
  await report.check('what changes after the moment is told', () => untilTold(world, 60, 'start'));
  const again = edits.expected.slice(told);
  await report.check('changewire restore-table', async () => {
    const said = await restoreFrom(earlier, own.gate.endpoint, stack.name);
    assert.match(said, new RegExp(`${WORKSPACE}/${PROCESS}: restored \\d+ projects`));
    assert.notDeepEqual(await held(world), served(world));
  });
  edits.expected.push(...again);
  await report.check('it is told again, under another id', () => untilTold(world, 60, 'start'));
  await report.check('the table holds what the service shows', async () =>
    assert.deepEqual(await held(world), served(world)),
  );
}

async function restoreFrom(from: string, endpoint: string, stack: string): Promise<string> {
  const line = `restore-table --stack ${stack} --region ${REGION} --from ${from} --yes`;
  const child = spawn(process.execPath, [COMMAND, ...line.split(' ')], {
    env: {
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 180_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text;
    });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, said);
  return said;
}
