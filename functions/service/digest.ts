import { hash } from 'node:crypto';

/** 132 bits: no two answers share them by chance. */
const CHARACTERS = 22;

/** A short text that stands for these bytes. */
export function digestOf(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64url').slice(0, CHARACTERS);
}
