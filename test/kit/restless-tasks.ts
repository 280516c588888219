import type { ActiveFault } from '../../local/simulated-service/faults.ts';
import { isTasksOf } from './stage.ts';
import type { World } from './world.ts';

/** Each reading of the project's task list lacks another one of its first two, until cancelled: no reading shows all that
 *  the last one showed. The list must have several pages, as long as it is read. */
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
