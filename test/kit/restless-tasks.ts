import type { ActiveFault } from '../../simulator/faults.ts';
import { isTasksOf } from './stage.ts';
import type { World } from './world.ts';

/** Has each reading of the project's task list lack one of the first two tasks, by turns, until
 *  cancelled: so each reading lacks a task that the one before showed. The list must have several pages. */
export function restlessTasks(world: World, projectId: string): ActiveFault {
  let readings = 0;
  const change = (body: { tasks?: unknown }) => ({
    ...body,
    tasks: (body.tasks as object[]).toSpliced(readings % 2, 1) as never,
  });
  return world.service.fail({
    when: request => isTasksOf(projectId)(request) && !request.path.includes('after=') && ++readings > 0,
    times: 1_000,
    fault: { change },
  });
}
