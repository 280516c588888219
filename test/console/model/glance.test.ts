import { expect, it } from 'vitest';
import { glanceOf } from '../../../console/model/glance.ts';

it('sums up processes and endpoints by state in one line, the worst first', () => {
  const processes = ['healthy', 'on-hold', 'healthy'].map(state => ({ state }));
  const endpoints = ['failing', 'healthy', 'paused', 'failing'].map(state => ({ state }));
  expect(glanceOf({ processes, endpoints } as never)).toEqual([
    { text: '1 process on hold', tone: 'bad' },
    { text: '2 endpoints failing', tone: 'bad' },
    { text: '1 endpoint paused', tone: 'warn' },
    { text: '2 processes healthy', tone: 'good' },
    { text: '1 endpoint healthy', tone: 'good' },
  ]);
  expect(glanceOf({ processes: [], endpoints: [] })).toEqual([]);
});
