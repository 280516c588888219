import type { World } from './world.ts';

/** Requests for all projects, not only for those updated since some time, or for one to see whether the service answers. */
export const isWholeListing = ({ path }: { path: string }) =>
  path.includes('/projects?') && !/updatedAfter|\?first=1$/.test(path);

/** Hides projects from the next whole listings, as a shifted cursor or a lost permission would. By
 *  default from two: a sweep reads the list a second time to confirm what the first reading lacks. */
export function hide(world: World, ids: readonly string[], times = 2): void {
  const hidden = new Set(ids);
  const change = (body: { projects?: unknown }) => ({
    ...body,
    projects: (body.projects as { id: string }[]).filter(({ id }) => !hidden.has(id)),
  });
  world.service.fail({ when: isWholeListing, times, fault: { change: change as never } });
}
