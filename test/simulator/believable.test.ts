import { expect, onTestFinished, test } from 'vitest';
import { believableWorkspace } from '../../simulator/believable/generate.ts';
import { isBuiltIn, propertyOf, splitProperties } from '../../simulator/data/properties.ts';
import { fieldsOf } from '../../simulator/data/workspace.ts';
import { serializeWorkspace } from '../../simulator/persistence.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { NOW } from '../kit/simulator.ts';

const TYPES = ['date', 'multiple-choice', 'number', 'single-choice', 'text'];

test('it has 2 processes of 30 projects, 1,500 tasks and all five field types in both places; every record is one that an edit could have made, and nothing was updated in the future', () => {
  const ids = { project: new Set<string>(), task: new Set<string>() };
  const { processes } = believableWorkspace(2, NOW);
  expect([...processes.values()].map(({ id, projects }) => [id, projects.size])).toEqual([
    ['onboarding', 30],
    ['launch', 30],
  ]);
  for (const process of processes.values()) {
    const projects = [...process.projects.values()];
    const tasks = projects.flatMap(project => [...project.tasks.values()]);
    for (const [kind, records] of [['project', projects] as const, ['task', tasks] as const]) {
      const definitions = fieldsOf(process, kind);
      expect(definitions.map(({ type }) => type).toSorted()).toEqual(TYPES);
      const properties = definitions.map(field => propertyOf(kind, field.externalId));
      for (const { id, fields, values, createdAt, updatedAt } of records) {
        ids[kind].add(id);
        expect(properties.filter(name => Object.hasOwn(fields, name) || isBuiltIn(kind, name))).toEqual([]);
        const served = Object.entries(values).map(([name, value]) => [propertyOf(kind, name), value]);
        expect(splitProperties(kind, definitions, Object.fromEntries(served)).values).toEqual(values);
        expect(createdAt).toBeLessThanOrEqual(updatedAt);
        expect(updatedAt).toBeLessThanOrEqual(NOW);
      }
    }
  }
  expect([ids.project.size, ids.task.size]).toEqual([60, 1500]);
});

test('the same seed and time give the same workspace, another seed another; it is served when none is given', async () => {
  const text = (seed: number) => serializeWorkspace(believableWorkspace(seed, NOW));
  expect(text(5)).toBe(text(5));
  expect(text(5)).not.toBe(text(6));
  const service = await startSimulatedService({ clock: () => NOW, seed: 4 });
  onTestFinished(() => service.stop());
  expect(serializeWorkspace(service.workspace.state)).toBe(text(4));
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
