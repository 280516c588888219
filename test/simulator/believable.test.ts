import { expect, test } from 'vitest';
import { believableWorkspace } from '../../simulator/believable/generate.ts';
import { isBuiltIn, propertyOf, splitProperties } from '../../simulator/data/properties.ts';
import { fieldsOf } from '../../simulator/data/workspace.ts';
import { serializeWorkspace } from '../../simulator/persistence.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { NOW, reader } from '../kit/simulator.ts';

const KINDS = ['project', 'task'] as const;

test('it has 2 processes, 60 projects, 1,500 tasks and all five field types in both places', () => {
  const processes = [...believableWorkspace(1, NOW).processes.values()];
  expect(processes.map(({ id }) => id)).toEqual(['onboarding', 'launch']);
  const projects = processes.flatMap(process => [...process.projects.values()]);
  expect(projects).toHaveLength(60);
  expect(projects.reduce((sum, { tasks }) => sum + tasks.size, 0)).toBe(1500);
  for (const process of processes) {
    for (const kind of KINDS) {
      const types = fieldsOf(process, kind).map(({ type }) => type);
      expect(types.toSorted()).toEqual(['date', 'multiple-choice', 'number', 'single-choice', 'text']);
    }
  }
});

test('the same seed and time give the same workspace, another seed another', () => {
  const text = (seed: number) => serializeWorkspace(believableWorkspace(seed, NOW));
  expect(text(5)).toBe(text(5));
  expect(text(5)).not.toBe(text(6));
});

test('every record is one that an edit could have made, and nothing was updated in the future', () => {
  const ids = new Set<string>();
  for (const process of believableWorkspace(2, NOW).processes.values()) {
    for (const project of process.projects.values()) {
      for (const [kind, record] of [
        ['project', project],
        ...[...project.tasks.values()].map(task => ['task', task]),
      ] as ['project' | 'task', typeof project][]) {
        ids.add(record.id);
        const definitions = fieldsOf(process, kind);
        const properties = definitions.map(field => propertyOf(kind, field.externalId));
        expect(
          properties.filter(name => Object.hasOwn(record.fields, name) || isBuiltIn(kind, name)),
        ).toEqual([]);
        const served = Object.entries(record.values).map(([id, value]) => [propertyOf(kind, id), value]);
        expect(splitProperties(kind, definitions, Object.fromEntries(served)).values).toEqual(record.values);
        expect(record.createdAt).toBeLessThanOrEqual(record.updatedAt);
        expect(record.updatedAt).toBeLessThanOrEqual(NOW);
      }
    }
  }
  expect(ids.size).toBe(1560);
});

test('it is what is served when no workspace is given', async () => {
  const service = await startSimulatedService({ clock: () => NOW, seed: 4 });
  try {
    expect(service.workspace.state).toEqual(believableWorkspace(4, NOW));
    const answer = await (await reader(service))('/processes/launch/projects');
    expect(answer.body.projects).toHaveLength(30);
  } finally {
    await service.stop();
  }
});

test.each([
  ['Due date', 'dueDate'],
  ['risk-level', 'risk-level'],
  ['Deadline', 'deadline'],
  ['dueDate', 'dueDate'],
  ['NPS score', 'npsScore'],
  ['effort_in_hours', 'effortInHours'],
])('a task field "%s" is the property %s', (externalId, property) => {
  expect(propertyOf('task', externalId)).toBe(property);
  expect(propertyOf('project', externalId)).toBe(externalId);
});
