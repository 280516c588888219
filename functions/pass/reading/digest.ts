import { hash } from 'node:crypto';
import type { Json } from '../../basics/json.ts';

/** 96 bits of SHA-256 over the JSON, keys in the order received: enough that two records never share a digest
 *  by chance. */
export function digest(value: Json): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}
