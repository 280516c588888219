import { expect, it } from 'vitest';
import type { Bench } from './contract.ts';

/** Of processes: how they do, passes, and holds. */
export function processesContract({ setting, ask }: Bench): void {
  const keyOf = (index: 0 | 1) => {
    const { workspace, processId } = setting().processes[index];
    return { workspace, process: processId };
  };
  const statusOf = async (index: 0 | 1) => {
    const key = keyOf(index);
    for (let cursor: string | undefined; ; ) {
      const page = await ask('status', { limit: 1, ...(cursor !== undefined && { cursor }) });
      expect(page.processes.length + page.endpoints.length).toBeLessThanOrEqual(1);
      const found = page.processes.find(
        each => each.workspace === key.workspace && each.process === key.process,
      );
      if (found) return found;
      if (page.cursor === undefined) throw new Error('the status lacks a process');
      cursor = page.cursor;
    }
  };
  const hold = async (index: 0 | 1, projects: number) => {
    const process = setting().processes[index];
    const { snapshots } = setting().stores;
    const { announced } = await snapshots.readState(process);
    const since = setting().now() - 5_000;
    const held = { since, missing: projects };
    const said = { events: [], version: Math.max(announced + 1, since), at: since };
    expect(await snapshots.announce(process, { announced, state: { held, baselined: true }, said })).toBe(
      'committed',
    );
    return since;
  };

  it('have a pass of a process begin, and say so in its journal of actions', async () => {
    const answer = await ask('pass', { ...keyOf(0), mode: 'sweep' });
    expect(answer).toMatchObject({ ...keyOf(0), mode: 'sweep' });
    expect(setting().started()).toContainEqual([keyOf(0).process, 'sweep']);
    const { actions } = await ask('actions', { ...keyOf(0), limit: 1 });
    expect(actions).toMatchObject([
      { ...setting().caller, ...keyOf(0), operation: 'pass', details: 'sweep' },
    ]);
  });

  it('release a process that is on hold, and only such a one; a dry run tells how many and since when', async () => {
    await expect(ask('release', keyOf(1))).rejects.toThrow('This process is not on hold');
    const since = new Date(await hold(1, 12)).toISOString();
    const released = async () =>
      (await setting().stores.snapshots.readState(setting().processes[1])).released;
    expect(await ask('release', { ...keyOf(1), dryRun: true })).toEqual({
      ...{ ...keyOf(1), projects: 12, since, dryRun: true },
    });
    expect([await released(), (await statusOf(1)).hold]).toEqual([
      false,
      { since, projects: 12, isReleased: false },
    ]);
    expect(await ask('release', keyOf(1))).toMatchObject({ projects: 12, since, dryRun: false });
    expect([await released(), (await statusOf(1)).hold]).toEqual([
      true,
      { since, projects: 12, isReleased: true },
    ]);
    const { actions } = await ask('actions', { ...keyOf(1), limit: 1 });
    expect(actions).toMatchObject([{ operation: 'release', details: '12 projects' }]);
  });

  it('suggest the process, or the workspace, that a typo meant, and repeat nothing that was typed', async () => {
    const { process, workspace } = keyOf(0);
    const typed = `${process.slice(0, -1)}~`;
    const refused = await ask('pass', { process: typed, mode: 'changes' }).then(() => '', String);
    expect(refused).toContain(`Did you mean ${process}?`);
    expect(refused).not.toContain(typed);
    const elsewhere = ask('pass', { process, workspace: `${workspace}x`, mode: 'changes' });
    await expect(elsewhere).rejects.toThrow(`There is no workspace of this name. Did you mean ${workspace}?`);
  });
}
