import type { SimulatedService } from '../../simulator/server.ts';

/** The process that is polled, and edited. */
export const WORKSPACE = 'simulated';
export const PROCESS = 'onboarding';

/** One that is polled as well, taken out of the configuration, and in again; no receiver looks at its events. */
export const SIDE = 'side';

/** Two that nobody polls, for the contract of the operations: what is committed there is none of an edit. */
export const CONTRACT = [
  { workspace: 'contract-eu', processId: 'contract-1' },
  { workspace: 'contract-us', processId: 'contract-2' },
] as const;

/** The identity of SES that mails are sent from. */
export const MAIL_IDENTITY = 'mail.example.com';

/** The names that the functions reach receivers by. */
export const HOSTS = {
  webhook: 'webhook.receivers.example.com',
  slack: 'slack.receivers.example.com',
  teams: 'teams.receivers.example.com',
  added: 'added.receivers.example.com',
  flaky: 'flaky.receivers.example.com',
  contract: 'contract.receivers.example.com',
} as const;

/** The endpoints of changewire.json; the others are added while all runs. */
export const CONFIGURED = ['webhook', 'slack', 'teams'] as const;

/** The configuration: processes that are polled each minute, one request at a time, so that the steps of a pass have an order. */
export function configOf(options: {
  readonly service: SimulatedService;
  readonly everything: string;
  /** Raw delivery of some tasks' due dates; left out at first. */
  readonly dueDates?: string;
  readonly endpoints: boolean;
  /** Without the process that comes and goes. */
  readonly withoutSide?: boolean;
}) {
  const { baseUrl, authUrl, audience } = options.service;
  return {
    workspaces: [
      {
        ...{ name: WORKSPACE, baseUrl, authUrl, audience, concurrency: 1 },
        processes: [PROCESS, ...(options.withoutSide ? [] : [SIDE])].map(id => ({ id })),
      },
      // A pass of theirs, if one is due at all, fails for want of credentials.
      ...CONTRACT.map(({ workspace, processId: id }) => ({
        ...{ name: workspace, baseUrl, authUrl, audience },
        processes: [{ id, changes: '24h', sweep: '24h' }],
      })),
    ],
    // An endpoint that is added while all runs sends mails from it.
    emailIdentities: [MAIL_IDENTITY],
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
