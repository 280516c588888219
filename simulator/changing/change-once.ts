import type { Random } from '../../functions/basics/clock.ts';
import { SCENARIOS } from '../believable/generate.ts';
import { ONBOARDING } from '../believable/onboarding.ts';
import { pick, sample } from '../data/random.ts';
import type { EditApi } from '../edits/edit-api.ts';
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
  [10, createTask],
  [2, deleteTask],
  [1, createProject],
  [1, deleteProject],
];

type WeightedTurn = (typeof TURNS)[number];

const SCENES = 10;
/** The share of edits with two actors. */
const PAIRS = 0.05;

/** Makes a realistic edit by a user of the workspace. If a kind of edit is not possible, it tries another kind.
 *  @param now ms since 1970: "today" for new dates
 *  @returns whether an edit was possible */
export function changeOnce(workspace: EditApi, random: Random, now: number): boolean {
  let left = TURNS;
  while (left.length > 0) {
    const chosen = weighted(left, random);
    for (let scene = 0; scene < SCENES; scene += 1) {
      if (chosen[1](chooseScene(workspace, random, now))) return true;
    }
    left = left.filter(turn => turn !== chosen);
  }
  return false;
}

function weighted(turns: readonly WeightedTurn[], random: Random): WeightedTurn {
  let rest = random() * turns.reduce((sum, [weight]) => sum + weight, 0);
  const chosen = turns.find(([weight]) => {
    rest -= weight;
    return rest < 0;
  });
  return chosen ?? pick(random, turns);
}

function chooseScene(workspace: EditApi, random: Random, now: number): Scene {
  const process = pick(random, [...workspace.state.processes.values()]);
  const scenario = SCENARIOS.find(({ id }) => id === process.id) ?? ONBOARDING;
  const users = workspace.state.users;
  const isPair = random() < PAIRS;
  const user = isPair ? sample(random, users, 2).map(({ id }) => id) : pick(random, users).id;
  return { workspace, process, scenario, users, by: { user }, random, now };
}
