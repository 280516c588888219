import * as z from 'zod';
import { time } from './parts.ts';

/** What the service does about one thing that the API document leaves open. */
export const finding = z.strictObject({
  /** The thing that was examined, such as `updatedAfter`. */
  topic: z.string(),
  /** `fine`: nothing to do. `setting`: a setting is proposed. `warning`: people should know. `unknown`: it
   *  could not be found out, and `remedy` says how it could be. */
  verdict: z.enum(['fine', 'setting', 'warning', 'unknown']),
  /** What was found, in a sentence. */
  found: z.string(),
  /** The requests that it rests on, without credentials; if many are alike, the first ones. */
  asked: z.array(z.string()),
  /** The answers, in short. */
  came: z.string(),
  /** How to find out, or what to do. */
  remedy: z.string().optional(),
});

export const doctorAnswer = z.strictObject({
  at: time,
  workspace: z.string(),
  process: z.string(),
  findings: z.array(finding),
  /** The proposed settings, as they stand in a workspace and in a process of `cdk.json` or of the local
   *  configuration file. */
  settings: z.strictObject({
    workspace: z.record(z.string(), z.json()),
    process: z.record(z.string(), z.json()),
  }),
});

export type Finding = z.infer<typeof finding>;
export type DoctorAnswer = z.infer<typeof doctorAnswer>;
