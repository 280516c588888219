import type { Freedoms } from '../../../simulator/server.ts';
import { buildWorkspace } from '../../../simulator/server.ts';
import { type DoctorSetup, doctorSetup, NOW } from './setup.ts';

export const PROCESS = 'p';
const MINUTE = 61_300;
const PROJECTS = 12;

/** A service with these freedoms, in which people worked until a few seconds ago. */
export function lively(freedoms: Partial<Freedoms> = {}, passing?: () => void): DoctorSetup {
  const workspace = buildWorkspace({
    now: NOW - 86_400_000,
    processes: [{ id: PROCESS, projects: PROJECTS, tasksPerProject: 3 }],
  });
  const setup = doctorSetup({ freedoms, workspace, ...(passing && { passing }) });
  const { service, time } = setup;
  const { workspace: edit } = service;
  const ids = [...(edit.state.processes.get(PROCESS)?.projects.keys() ?? [])];
  const step = (work: (id: string, task: string) => void, index: number): void => {
    time.now += MINUTE;
    const id = ids[(index * 5) % ids.length] ?? '';
    const [task = ''] = edit.state.processes.get(PROCESS)?.projects.get(id)?.tasks.keys() ?? [];
    work(id, task);
  };
  edit.deleteProject(PROCESS, ids.pop() ?? '');
  for (let index = 0; index < 9; index += 1) {
    step(id => edit.updateProject(PROCESS, id, { name: `Renamed ${index}` }), index);
  }
  for (let index = 0; index < 3; index += 1) {
    step((id, task) => edit.updateTask(PROCESS, id, task, { status: 'Done' }), index);
  }
  step(id => edit.updateProject(PROCESS, id, { state: 'Done' }), 3);
  time.now += 3_000;
  return setup;
}
