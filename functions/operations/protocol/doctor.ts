import * as z from 'zod';
import { time } from './parts.ts';

/** One thing that the API document leaves open, and what the service does. */
export const finding = z.strictObject({
  /** What was looked into, such as `updatedAfter`. */
  topic: z.string(),
  /** `fine`: nothing to do. `setting`: a setting follows. `warning`: somebody should know. `unknown`: what would tell. */
  verdict: z.enum(['fine', 'setting', 'warning', 'unknown']),
  /** What was found, in a sentence. */
  found: z.string(),
  /** The requests that told so, without credentials; of many that are alike, the first ones. */
  asked: z.array(z.string()),
  /** What came, in short. */
  came: z.string(),
  /** How to find out, or what to do. */
  remedy: z.string().optional(),
});

export const doctorAnswer = z.strictObject({
  at: time,
  workspace: z.string(),
  process: z.string(),
  findings: z.array(finding),
  /** What follows for the configuration, as it stands in a workspace and in a process of `cdk.json` or of the local configuration file. */
  settings: z.strictObject({
    workspace: z.record(z.string(), z.json()),
    process: z.record(z.string(), z.json()),
  }),
});

export type Finding = z.infer<typeof finding>;
export type DoctorAnswer = z.infer<typeof doctorAnswer>;
