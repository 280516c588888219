import type { Json } from '../../functions/basics/json.ts';
import { AUDIT } from '../../functions/doctor/audit-log.ts';
import { LAG } from '../../functions/doctor/updates.ts';
import type { DoctorAnswer, Finding } from '../../functions/operations/protocol/answers.ts';
import type { Setting } from './draft.ts';

/** The topics of the findings that lead to a setting. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  identifiers: ['project identifiers', 'task identifiers', 'user identifiers'],
  pageSize: ['projects', 'tasks', 'the audit log', 'users'].map(list => `page size of ${list}`),
  dateHeader: ['clock'],
  overlap: [LAG.topic],
  ignoreFields: ['update times', 'fields that change by themselves'],
  auditLog: [AUDIT.topic],
};

/** The settings that the doctor suggests for a workspace and a process, with the findings that lead to them. */
export function settingsWithReasons({ findings, settings }: DoctorAnswer): {
  workspace: Setting[];
  process: Setting[];
} {
  const explained = (part: Readonly<Record<string, Json>>) =>
    Object.entries(part).map(([key, value]) => ({ key, value, why: reasonsFor(key, findings) }));
  return { workspace: explained(settings.workspace), process: explained(settings.process) };
}

function reasonsFor(key: string, findings: readonly Finding[]): Setting['why'] {
  const topics = TOPICS[key] ?? [];
  const about = findings.filter(({ topic }) => topics.includes(topic));
  const proposing = about.filter(({ verdict }) => verdict === 'setting');
  const reasons = proposing.length > 0 ? proposing : about;
  return Object.fromEntries(reasons.map(({ topic, found }) => [topic, found]));
}
