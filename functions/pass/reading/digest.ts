import { hash } from 'node:crypto';
import type { Json } from '../../basics/json.ts';
import type { Rules } from '../../changes/compare-project.ts';
import { meaningOf } from '../../changes/meaning.ts';
import type { ProjectContent } from '../../model/snapshot.ts';

/** 96 bits of SHA-256 over the JSON, keys in the order received: enough that two records never share a digest
 *  by chance. */
export function digest(value: Json): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

/** The digest of what a project means, read without the fields of `withhold`. */
export function meaningDigest(content: ProjectContent, rules: Rules, withhold: readonly string[]): string {
  return digest([...withhold.toSorted(), meaningOf(content, rules)]);
}
