import type { SimulatedService } from '../../local/service/server.ts';
import { CONTRACT, PROCESS, WORKSPACE } from './words.ts';

/** The names that the functions reach receivers by. */
export const HOSTS = {
  webhook: 'webhook.receivers.example.com',
  slack: 'slack.receivers.example.com',
  teams: 'teams.receivers.example.com',
  added: 'added.receivers.example.com',
  flaky: 'flaky.receivers.example.com',
  contract: 'contract.receivers.example.com',
} as const;

/** The endpoints of cdk.json; the others are added while all runs. */
export const CONFIGURED = ['webhook', 'slack', 'teams'] as const;

/** The `changewire` context: one process, polled each minute, one request at a time, so that its steps have an order. */
export function configOf(options: {
  readonly service: SimulatedService;
  readonly everything: string;
  /** Raw delivery of some tasks' due dates; left out at first. */
  readonly dueDates?: string;
  readonly endpoints: boolean;
}) {
  const { baseUrl, authUrl, audience } = options.service;
  return {
    workspaces: [
      { name: WORKSPACE, baseUrl, authUrl, audience, concurrency: 1, processes: [{ id: PROCESS }] },
      // Their schedules would fire for the first time tomorrow.
      ...CONTRACT.map(({ workspace, processId: id }) => ({
        ...{ name: workspace, baseUrl, authUrl, audience },
        processes: [{ id, changes: '24h', sweep: '24h' }],
      })),
    ],
    changes: '1m',
    sweep: '1h',
    subscriptions: [
      { name: 'everything', url: options.everything },
      ...(options.dueDates === undefined
        ? []
        : [
            {
              name: 'due-dates',
              url: options.dueDates,
              raw: true,
              filter: { eventType: ['task.updated'], changedFields: ['dueDate'] },
            },
          ]),
    ],
    ...(options.endpoints && {
      endpoints: CONFIGURED.map(kind => ({ name: kind, kind })),
    }),
  };
}
