import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { verifyProcess } from '../../../functions/operations/verify/walk.ts';
import { verifyService } from '../../../functions/operations/verify/walk-service.ts';
import { until } from '../until.ts';
import { PROCESS, untilTold, WORKSPACE, type World } from '../world.ts';

const PAUSE = { operation: 'pause-endpoint', endpoint: 'webhook' } as const;

/** What operators see and do, with no other right than one of the two policies. */
export async function people(world: World): Promise<void> {
  world.report.part('People at work');
  await mayAndMayNot(world);
  await look(world);
  await act(world);
}

async function mayAndMayNot({ report, stack, aws, operators }: World): Promise<void> {
  const { look, act, nobody } = await operators();
  await report.check('who has no policy can not even look', () =>
    assert.rejects(
      nobody.ask({ operation: 'status' }),
      /not allowed to invoke.*LookPolicyArn or ActPolicyArn/,
    ),
  );
  await report.check('who may look can not act, whichever alias is asked', async () => {
    await assert.rejects(look.ask(PAUSE), /not allowed to invoke Changewire-operate:act.*ActPolicyArn/);
    const asked = { request: PAUSE };
    const invoke = (alias: string) => aws.invoke(`${stack.name}-operate${alias}`, asked, look.credentials);
    assert.match(JSON.stringify(await invoke(':look')), /Read-only access/);
    await assert.rejects(invoke(''), /not authorized|AccessDenied/);
  });
  await report.check('nobody acts without saying who they are', async () => {
    const said = await aws.invoke(`${stack.name}-operate:act`, { request: PAUSE }, act.credentials);
    assert.match(JSON.stringify(said), /needs the identity of the caller/);
  });
}

async function look({ report, stack, edits, operators }: World): Promise<void> {
  const { look } = await operators();
  await report.check('status tells how the process does, and each endpoint', async () => {
    const { deployment, processes } = await look.ask({ operation: 'status' });
    const { state, rechecks } = processes.find(({ workspace }) => workspace === WORKSPACE) ?? {};
    assert.deepEqual([deployment, state, rechecks?.count], [stack.name, 'healthy', 0]);
    return `${processes.length} processes`;
  });
  await report.check('the journal has each event that was told', async () => {
    const count = edits.expected.length;
    const { events } = await look.ask({ operation: 'events', process: PROCESS, limit: 100 });
    assert.equal(events.length, count);
    return `${count} events`;
  });
  await report.check('verify finds that the events lead to the snapshots', async () => {
    const { events, mismatches } = await verifyProcess(look.ask, { process: PROCESS });
    assert.deepEqual(mismatches, []);
    return `${events} events`;
  });
  await report.check('verify reads the service, and finds the snapshots equal to it', async () => {
    const wait = () => setTimeout(15_000);
    const { projects, differences, unreadable } = await verifyService(
      look.ask,
      { process: PROCESS },
      { wait },
    );
    assert.deepEqual([differences, unreadable], [[], []]);
    return `${projects} projects`;
  });
  await report.check("a function's log tells of the passes that failed for want of credentials", () =>
    until(30, async () => {
      const since = new Date(Date.now() - 30 * 60_000).toISOString();
      const { entries } = await look.ask({ operation: 'logs', function: 'poll', since, limit: 100 });
      assert.match(JSON.stringify(entries), /create-secret --name changewire\/simulated/);
      return `${entries.length} entries`;
    }),
  );
  await report.check('nothing was set aside', async () => {
    for (const queue of ['rejected', 'unpublished', 'unstarted', 'unsettled'] as const)
      assert.equal((await look.ask({ operation: 'failed-messages', queue })).messages, 0, queue);
  });
  await report.check('the doctor asks the service', async () => {
    const { findings } = await look.ask({ operation: 'doctor', process: PROCESS });
    assert.ok(findings.length > 5);
    return `${findings.length} findings`;
  });
}

async function act(world: World): Promise<void> {
  const { report, edits, operators } = world;
  const { act } = await operators();
  await report.check('a sweep that is asked for begins at once', async () => {
    const [project = ''] = edits.projects();
    edits.updateProject(project, 'summary', 'swept-by-hand');
    await act.ask({ operation: 'pass', process: PROCESS, mode: 'sweep' });
    await untilTold(world, 50, 'scheduled');
  });
  await report.check('who did it is written down, by the name that AWS knows', async () => {
    const { actions } = await act.ask({ operation: 'actions', process: PROCESS });
    const [{ who, isProven, operation } = {}] = actions;
    assert.deepEqual([who, isProven, operation], [act.arn, true, 'pass']);
    return who;
  });
}

/** Comes last: from then on every event came twice. */
export async function publishOnceMore({ report, edits, everything, operators }: World): Promise<void> {
  const { act } = await operators();
  await report.check('a time is published once more, to every subscriber, under the same ids', async () => {
    const asked = lastHour();
    const counted = await all(async cursor => act.ask({ ...asked, dryRun: true, ...cursor }));
    const before = everything.events.repeated;
    const published = await all(async cursor => act.ask({ ...asked, ...cursor }));
    assert.deepEqual([counted, published], [edits.expected.length, edits.expected.length]);
    // A batch that SNS takes in part is published again, whole.
    await until(60, () => assert.ok(everything.events.repeated >= before + published));
    return `${published} events`;
  });
}

/** Publishes the last hour once more. @returns the number of events */
export async function republish({ operators }: World): Promise<number> {
  const { act } = await operators();
  const asked = lastHour();
  return all(async cursor => act.ask({ ...asked, ...cursor }));
}

function lastHour() {
  const since = new Date(Date.now() - 60 * 60_000).toISOString();
  return { operation: 'republish', since, until: new Date().toISOString() } as const;
}

/** All slices. @returns the number of events */
async function all(
  slice: (cursor: object) => Promise<{ events: number; cursor?: string | undefined }>,
): Promise<number> {
  let [events, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const part = await patiently(() => slice(cursor === undefined ? {} : { cursor }));
    events += part.events;
    cursor = part.cursor;
  } while (cursor !== undefined);
  return events;
}

/** Asks again when the emulator, busy with what was published before, answered too late: a slice may be published twice. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 5) throw error;
    }
    await setTimeout(10_000);
  }
}
