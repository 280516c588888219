import { generate } from 'selfsigned';
import type { Certificate } from '../receivers/server.ts';

/** A certificate for these names that is its own authority. */
export async function certificateFor(names: readonly string[]): Promise<Certificate> {
  const altNames = names.map(value => ({ type: 2 as const, value }));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'Changewire test' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { cert, key };
}
