import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;

/** The token is no longer good when `path` is asked for, and the next request for one gets this status. */
function refuseToken(path: RegExp, status: number): void {
  world.service.fail({ when: request => path.test(request.path), fault: { status: 401 } });
  world.service.fail({ when: request => request.path.includes('/oauth/token'), fault: { status } });
}

describe('a token that cannot be had in the middle of a pass', () => {
  const places = {
    projects: /\/projects\?/,
    tasks: /\/tasks\?/,
    'audit log': /auditlog/,
    fields: /coverpage/,
  };
  const cases = Object.entries(places).flatMap(([place, path]) =>
    [403, 404].map(status => [status, place, path] as const),
  );

  it.each(cases)(
    'invariant 9: by %i, at %s, stops the pass: it is no deleted project, nor a refused log or list',
    async (status, place, path) => {
      world = await stage.create();
      await world.run();
      await world.later('changes', 600_000);
      world.edit.updateProject(PROCESS, '1001', { budget: '1' });
      const refusal = `/oauth/token: status ${status}`;
      refuseToken(path, status);
      await expect(world.later('changes')).rejects.toThrow(refusal);
      // A sweep has no need of the audit log.
      if (place !== 'audit log') {
        refuseToken(path, status);
        await expect(world.later('sweep')).rejects.toThrow(refusal);
      }
      const { reported, rechecks } = await world.snapshots.readState(world.process);
      expect([reported, [...rechecks]]).toEqual([[], []]);
      await world.later();
      expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
    },
  );
});
