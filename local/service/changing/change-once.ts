import type { Random } from '../../../functions/clock.ts';
import { SCENARIOS } from '../believable/generate.ts';
import { ONBOARDING } from '../believable/onboarding.ts';
import type { EditApi } from '../edits/edit-api.ts';
import { pick } from '../random.ts';
import { assignTask, moveStatus } from './progress.ts';
import type { Scene, Turn } from './scene.ts';
import { createProject, createTask, deleteProject, deleteTask, moveState } from './structure.ts';
import { changeField } from './values.ts';

const TURNS: readonly (readonly [weight: number, turn: Turn])[] = [
  [30, moveStatus],
  [14, assignTask],
  [14, scene => changeField(scene, 'task', 'date')],
  [9, scene => changeField(scene, 'task', 'number')],
  [9, scene => changeField(scene, 'task', 'multiple-choice')],
  [5, scene => changeField(scene, 'task', 'single-choice')],
  [5, scene => changeField(scene, 'task', 'text')],
  [1.5, scene => changeField(scene, 'project', 'date')],
  [1, scene => changeField(scene, 'project', 'number')],
  [1, scene => changeField(scene, 'project', 'multiple-choice')],
  [0.5, scene => changeField(scene, 'project', 'single-choice')],
  [1, scene => changeField(scene, 'project', 'text')],
  [2, moveState],
  [4, createTask],
  [2, deleteTask],
  [0.7, createProject],
  [0.3, deleteProject],
];

const TOTAL = TURNS.reduce((sum, [weight]) => sum + weight, 0);
const TRIES = 100;

/** Makes one edit that people would make, by one of the workspace's users.
 *  @param now ms since 1970: "today" for new dates
 *  @returns whether an edit was possible */
export function changeOnce(workspace: EditApi, random: Random, now: number): boolean {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (pickTurn(random)(chooseScene(workspace, random, now))) return true;
  }
  return false;
}

function pickTurn(random: Random): Turn {
  let left = random() * TOTAL;
  for (const [weight, turn] of TURNS) {
    left -= weight;
    if (left < 0) return turn;
  }
  return moveStatus;
}

function chooseScene(workspace: EditApi, random: Random, now: number): Scene {
  const process = pick(random, [...workspace.state.processes.values()]);
  const scenario = SCENARIOS.find(({ id }) => id === process.id) ?? ONBOARDING;
  const users = workspace.state.users;
  return { workspace, process, scenario, users, by: { user: pick(random, users).id }, random, now };
}
