import { describe, expect, test } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { linkTemplatesOf } from '../../functions/config/workspace.ts';
import { config, problemsOf } from '../kit/infra/config-examples.ts';

const PATH = 'changewire.workspaces[0].linkTemplate';
const linked = (linkTemplate: unknown) => config({}, { linkTemplate });
const problemOf = (linkTemplate: unknown) => {
  const problems = problemsOf(linked(linkTemplate));
  return problems.length > 1 ? problems.join('\n') : problems[0];
};
const templatesOf = (linkTemplate: unknown) => linkTemplatesOf(readConfig(linked(linkTemplate)));

describe('a link template', () => {
  const project = 'https://app.example.com/p/{projectId}';
  const task = 'https://app.example.com/p/{projectId}/t/{taskId}';

  test('with {taskId} is of tasks alone, without it of a project and its tasks, as an object of what it names', () => {
    expect(templatesOf(task)).toEqual([{ workspace: 'eu', task }]);
    expect(templatesOf(project)).toEqual([{ workspace: 'eu', project, task: project }]);
    expect(templatesOf({ project, task })).toEqual([{ workspace: 'eu', project, task }]);
    expect(templatesOf({ project })).toEqual([{ workspace: 'eu', project }]);
    expect(templatesOf(undefined)).toEqual([]);
  });

  test.each([
    'https://app.example.com/{processId}/{projectId}?t={taskId}&p={projectId}',
    'https://app.example.com#/p/{projectId}',
    'https://app.example.com?p={projectId}',
    'http://localhost:3000/{projectId}',
    'http://127.0.0.1/{projectId}',
    { task: 'https://app.example.com/t/{taskId}' },
    { project: 'http://[::1]:3000/{processId}/{projectId}', task },
    `https://app.example.com/{projectId}/${'x'.repeat(464)}`,
  ])('may be %j', template => {
    expect(problemOf(template)).toBeUndefined();
  });

  const ADDRESS = 'an https:// address of at most 500 characters without spaces';
  const NAMES = 'the placeholders {projectId}, {taskId}, {processId},';
  const EITHER = 'an address such as "https://app.example.com/p/{projectId}/t/{taskId}", or an object';
  test.each([
    ['https://app.example.com/p', '', 'an address with {projectId} in it'],
    ['https://app.example.com/t/{taskId}', '', 'an address with {projectId} in it'],
    ['https://app.example.com/{project}', '', `${NAMES} but not {project}; did you mean "projectId"?`],
    ['https://app.example.com/{projectId}/{}', '', `${NAMES} but not another`],
    ['https://app.example.com/{projectId}/{CmjubuonqjCapqs/AY6Y1OlQm0}', '', `${NAMES} but not another`],
    ['https://app.example.com/{projectId}/{taskId', '', `${NAMES} and no other brace`],
    ['http://app.example.com/{projectId}', '', ADDRESS],
    ['http://localhost.example.com/{projectId}', '', ADDRESS],
    ['ftp://app.example.com/{projectId}', '', ADDRESS],
    ['app.example.com/{projectId}', '', ADDRESS],
    ['https://u:p@app.example.com/{projectId}', '', ADDRESS],
    ['https://u@app.example.com/{projectId}', '', ADDRESS],
    ['https://{projectId}.example.com/', '', ADDRESS],
    ['https://app.example.com{projectId}/', '', ADDRESS],
    ['https://app.example.com:{projectId}/', '', ADDRESS],
    ['https://app.example.com/a b/{projectId}', '', ADDRESS],
    ['https://app.example.com/ü/{projectId}', '', ADDRESS],
    ['https:app.example.com/{projectId}', '', ADDRESS],
    ['https:///{projectId}', '', ADDRESS],
    [`https://app.example.com/{projectId}/${'x'.repeat(465)}`, '', ADDRESS],
    [{ project: task }, '.project', 'the placeholders {projectId}, {processId}, but not {taskId}'],
    [{ task: project }, '.task', 'an address with {taskId} in it'],
    [{ project: 7 }, '.project', ADDRESS],
    [{}, '', 'project, task or both in it'],
    [7, '', `${EITHER} with the keys`],
    [[task], '', EITHER],
  ])('may not be %j, which is said at its place', (template, place, allowed) => {
    const beginning = `^${RegExp.escape(`${PATH}${place}: found `)}`;
    const end = `; allowed: ${RegExp.escape(allowed)}[^\\n]*$`;
    expect(problemOf(template)).toMatch(new RegExp(`${beginning}[^\\n]+${end}`));
  });

  test('has no other keys', () => {
    expect(problemOf({ project, tasks: task })).toBe(
      `${PATH}.tasks: unknown key (text of 48 characters); allowed keys: project, task; did you mean "task"?`,
    );
  });

  test('with two mistakes is told both', () => {
    expect(problemsOf(linked({ project: 'x', task: 'y' }))).toHaveLength(2);
  });
});
