import type { Commit } from '../../../functions/changes/build-events.ts';
import type { RecordChange } from '../../../functions/changes/compare-project.ts';
import type { FieldChange } from '../../../functions/model/event.ts';
import { AT, MINUTE, SECOND } from '../time.ts';

/** A commit of project `p.1`, whose tasks were read a second later than its record. */
export const commit: Commit = {
  ...{
    workspace: 'eu',
    processId: 'onboarding',
    projectId: 'p.1',
    projectRecord: { name: 'Acme' },
    version: AT,
  },
  observed: {
    project: { after: AT - MINUTE, before: AT },
    task: { after: AT - MINUTE, before: AT + SECOND },
  },
};

/** A field that went from Open to Done. */
export const field = (more: Partial<FieldChange> = {}): FieldChange => ({
  ...{ field: 'status', name: 'Status', kind: 'custom', type: 'single-choice', from: 'Open', to: 'Done' },
  ...more,
});

/** A task with this field. */
export const change = (more: Partial<RecordChange> = {}): RecordChange => ({
  ...{ entity: 'task', action: 'updated', id: 't1', fields: [field()] },
  ...{ record: { id: 't1', title: 'Call', status: 'Done' } },
  ...more,
});
