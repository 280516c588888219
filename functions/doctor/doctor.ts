import type { Clock, Sleep } from '../basics/clock.ts';
import type { Json } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { DoctorAnswer, Finding } from '../operations/protocol/doctor.ts';
import type { ServiceProbe } from '../service/probe.ts';
import { type Asker, createAsker } from './asker.ts';
import { withConfigured } from './configured.ts';
import type { Examination, Examined, Proposal } from './examination.ts';
import { EXAMINATIONS } from './examinations.ts';
import { judgeProcess } from './process.ts';
import { judgeToken } from './token.ts';

/** How many examinations are done. */
export interface DoctorProgress {
  readonly topic: string;
  readonly done: number;
  readonly total: number;
}

/** Examines one process of the service for what its API document leaves open. Takes some dozen requests and
 *  as many seconds, and changes nothing. */
export type Doctor = (
  process: ProcessKey,
  onProgress?: (progress: DoctorProgress) => void,
) => Promise<DoctorAnswer>;

export interface DoctorOptions {
  /** Opens a probe of a workspace; it is closed at the end. @throws for an unknown workspace */
  readonly open: (workspace: string) => ServiceProbe;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The settings that are configured already. */
  readonly configured?: (process: ProcessKey) => Proposal;
  /** The most requests in all, and per second. */
  readonly most?: number;
  readonly perSecond?: number;
}

export function createDoctor(options: DoctorOptions): Doctor {
  const { open, configured = () => ({}), clock, sleep, most = 200, perSecond = 5 } = options;
  return async ({ workspace, processId: process }, onProgress = () => undefined) => {
    const probe = open(workspace);
    try {
      const asker = createAsker({ probe, process, clock, sleep, most, perSecond });
      const known = configured({ workspace, processId: process });
      const examined = (await examineAll(asker, onProgress)).map(each => withConfigured(each, known));
      return {
        at: new Date(clock()).toISOString(),
        ...{ workspace, process },
        findings: examined.flatMap(({ findings }) => findings),
        settings: {
          workspace: merged(examined.map(({ settings }) => settings?.workspace)),
          process: merged(examined.map(({ settings }) => settings?.process)),
        },
      };
    } finally {
      await probe.close();
    }
  };
}

async function examineAll(asker: Asker, onProgress: (progress: DoctorProgress) => void): Promise<Examined[]> {
  const total = EXAMINATIONS.length;
  const { refusal, findings } = await begin(asker);
  if (refusal !== undefined) {
    const others = EXAMINATIONS.filter(({ topic }) => !findings.some(finding => finding.topic === topic));
    return [{ findings: [...findings, ...others.map(({ topic }) => unasked(topic, refusal))] }];
  }
  const all: Examined[] = [{ findings }];
  for (const [done, examination] of EXAMINATIONS.entries()) {
    onProgress({ topic: examination.topic, done, total });
    all.push(await examineSafely(examination, asker));
  }
  return all;
}

/** Without a token or a list of projects nothing can be examined: the report then has this finding only. */
async function begin(asker: Asker): Promise<{ findings: Finding[]; refusal?: string }> {
  const token = await asker.token();
  if (token.failure !== undefined) return { findings: [judgeToken(token)], refusal: 'there is no token' };
  const { finding, isThere } = await judgeProcess(asker);
  if (!isThere) return { findings: [judgeToken(token), finding], refusal: 'the process can not be read' };
  return { findings: [finding] };
}

function unasked(topic: string, why: string): Finding {
  return { topic, verdict: 'unknown', found: `It was not asked: ${why}.`, asked: [], came: 'nothing' };
}

/** A failure in one examination is a finding, and doesn't stop the others. */
async function examineSafely({ topic, examine }: Examination, asker: Asker): Promise<Examined> {
  const before = asker.met.length;
  try {
    return await examine(asker);
  } catch (error) {
    const asked = [...new Set(asker.met.slice(before).map(({ request }) => request))];
    const came = error instanceof Error ? error.message : 'an unknown error';
    const found = 'It could not be looked into.';
    return { findings: [{ topic, verdict: 'unknown', found, asked, came, remedy: 'Ask the doctor again.' }] };
  }
}

type Part = Proposal['workspace'];

/** Joins lists that several examinations propose. Of any other setting the last proposal counts. */
function merged(parts: readonly Part[]): DoctorAnswer['settings']['workspace'] {
  const all: Record<string, Json> = {};
  for (const [name, value] of parts.flatMap(part => Object.entries(part ?? {}))) {
    const before = all[name];
    const isList = Array.isArray(before) && Array.isArray(value);
    all[name] = isList ? [...new Set([...before, ...value])] : value;
  }
  return all;
}
