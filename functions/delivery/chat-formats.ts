import type { ChatFormat } from './jobs.ts';

const plain: ChatFormat = events =>
  events.map(event => ({ body: JSON.stringify({ text: event.type }), eventIds: [event.id] }));

export const chatFormats = { slack: plain, teams: plain };
