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
