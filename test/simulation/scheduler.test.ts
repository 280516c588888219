import { AsyncResource } from 'node:async_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { Scheduler, virtualTimers } from './scheduler.ts';

it('virtual timers are so for whoever asked for them, and for nobody else in this process', async () => {
  const said: string[] = [];
  const others = AsyncResource.bind((ms: number) =>
    setTimeout((text: string) => void said.push(text), ms, 'of others'),
  );
  const scheduler = new Scheduler(0);
  const restore = virtualTimers(scheduler);
  onTestFinished(restore);
  const timer = others(1);
  expect(timer.unref).toBeTypeOf('function');
  clearTimeout(others(1));
  await Promise.resolve();
  setTimeout(() => void said.push('of ours'), 86_400_000);
  clearTimeout(setTimeout(() => void said.push('never'), 1));
  await scheduler.pass(86_400_000);
  expect(said).toContain('of ours');
  expect(scheduler.now).toBe(86_400_000);
  restore();
  while (said.length < 2) await new Promise(resolve => setTimeout(resolve, 1));
  expect(said.sort()).toEqual(['of others', 'of ours']);
});
