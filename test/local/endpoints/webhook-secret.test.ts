import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { keptSecret } from '../../../local/data/secret-files.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

describe('the secret that is made for a webhook', () => {
  it('can sign, is another for each file, and stays, for its user alone', () => {
    const directory = temporaryDirectory();
    const [one, two] = [join(directory, 'one.secret'), join(directory, 'two.secret')];
    const secret = keptSecret(one);
    expect(() => new Webhook(secret)).not.toThrow();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(keptSecret(two)).not.toBe(secret);
    chmodSync(one, 0o644);
    expect(keptSecret(one)).toBe(secret);
    expect(statSync(one).mode & 0o777).toBe(0o600);
  });

  it('is refused when its file holds something else, which is not shown', () => {
    const file = join(temporaryDirectory(), 'one.secret');
    writeFileSync(file, 'whsec_hush\n');
    expect(() => keptSecret(file)).toThrow(
      new Error(
        `${file} does not contain a signing secret. Delete it, and the next start generates a new one.`,
      ),
    );
    expect(readFileSync(file, 'utf8')).toBe('whsec_hush\n');
  });
});
