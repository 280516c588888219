import { expect } from 'vitest';
import { createDoctor, type DoctorOptions } from '../../../functions/doctor/doctor.ts';
import type { DoctorAnswer, Finding } from '../../../functions/operations/protocol/answers.ts';
import { openProbe } from '../../../functions/service/probe.ts';
import { believableWorkspace } from '../../../simulator/believable/generate.ts';
import type { Freedoms, Workspace } from '../../../simulator/server.ts';
import { type InProcessService, serveInProcess } from '../in-process-service.ts';

export const NOW = Date.parse('2026-07-01T10:00:00.123Z');
export const PROCESS = 'customer-onboarding';

/** A simulated service in virtual time, and a doctor of it. */
export interface DoctorSetup {
  readonly service: InProcessService;
  /** Our time; `skew` is by how much the service's clock differs from it. */
  readonly time: { now: number; skew: number };
  readonly process: string;
  examine(): Promise<DoctorAnswer>;
  readonly options: DoctorOptions;
}

export function doctorSetup({
  freedoms = {},
  workspace = believableWorkspace(1, NOW - 3_600_000),
  process = [...workspace.processes.keys()][0] ?? '',
  secret,
  passing = () => undefined,
}: {
  readonly freedoms?: Partial<Freedoms>;
  readonly workspace?: Workspace;
  readonly process?: string;
  readonly secret?: string;
  /** Called when our time has passed, before anything else is asked. */
  readonly passing?: () => void;
} = {}): DoctorSetup {
  const time = { now: NOW, skew: 0 };
  const service = serveInProcess({ clock: () => time.now + time.skew, workspace, freedoms });
  const clock = () => time.now;
  const sleep = async (ms: number) => {
    time.now += ms;
    passing();
  };
  const open = () =>
    openProbe({
      ...{ baseUrl: service.baseUrl, authUrl: service.authUrl, audience: service.audience },
      credentials: async () => ({ clientId: service.clientId, clientSecret: secret ?? service.clientSecret }),
      openAgent: () => service.agent,
      clock,
      sleep,
      random: () => 0.5,
      requestTimeout: 200,
    });
  const options = { open, clock, sleep };
  const examine = () => createDoctor(options)({ workspace: 'w', processId: process });
  return { service, time, process, examine, options };
}

/** The finding of a topic. @throws when there is none, or several */
export function findingOf({ findings }: DoctorAnswer, topic: string) {
  const [one, ...others] = findings.filter(finding => finding.topic === topic);
  if (!one || others.length > 0)
    throw new Error(
      `expected one finding of "${topic}" among ${findings.map(each => each.topic).join(', ')}`,
    );
  return one;
}

/** Expects the one finding of a topic, with this verdict and a text like this. */
export function expectFinding(
  answer: DoctorAnswer,
  topic: string,
  verdict: Finding['verdict'],
  found: RegExp,
) {
  expect(findingOf(answer, topic)).toMatchObject({ verdict, found: expect.stringMatching(found) });
}
