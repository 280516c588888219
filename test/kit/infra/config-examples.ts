import { ConfigError, readConfigs } from '../../../functions/config/read.ts';
import { leastConfig } from './synthesise.ts';

/** What is wrong with a configuration; nothing when it is right. */
export function problemsOf(config: unknown): readonly string[] {
  try {
    readConfigs(config);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The least configuration with some changes: of the configuration, of its workspace, of its process. */
export function config(whole: object = {}, workspace: object = {}, process: object = {}) {
  const [first] = leastConfig().workspaces;
  return {
    workspaces: [{ ...first, processes: [{ id: 'p1', ...process }], ...workspace }],
    ...whole,
  };
}

/** One subscription, for `config`'s whole. */
export const subscription = (changes: object = {}) => ({
  subscriptions: [{ name: 'one', url: 'https://receiver.example.com', ...changes }],
});

/** One endpoint, for `config`'s whole. */
export const endpoint = (changes: object = {}) => ({
  endpoints: [{ name: 'one', kind: 'webhook', ...changes }],
});
