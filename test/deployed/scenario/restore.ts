import assert from 'node:assert/strict';
import { changewire } from '../command.ts';
import { CREDENTIALS, REGION } from '../emulator/environment.ts';
import { held, type OwnEmulator, PROCESS, served, untilTold, WORKSPACE, type World } from '../world.ts';

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
    const line = `restore-table --stack ${stack.name} --region ${REGION} --from ${earlier} --yes`;
    const { endpoint } = own.gate;
    const { code, out, err } = await changewire(line, { endpoint, credentials: CREDENTIALS });
    assert.equal(code, 0, err);
    assert.match(out + err, new RegExp(`${WORKSPACE}/${PROCESS}: restored \\d+ projects`));
    assert.notDeepEqual(await held(world), served(world));
  });
  edits.expected.push(...again);
  await report.check('it is told again, under another id', () => untilTold(world, 60, 'start'));
  await report.check('the table holds what the service shows', async () =>
    assert.deepEqual(await held(world), served(world)),
  );
}
