import { describe, expect, it } from 'vitest';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { parseSecret } from '../../functions/endpoints/secret.ts';
import { createSecrets } from '../../functions/endpoints/secrets.ts';

const endpoint = (kind: EndpointSettings['kind']): EndpointSettings => ({
  name: 'crm',
  kind,
  secret: 'changewire/endpoint/crm',
  queueArn: 'a',
  queueUrl: 'u',
  deadLetterUrl: 'd',
});
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'hush').toString('base64')}`;
const url = 'https://hush.example.com/hush?hush';

describe('an endpoint’s secret', () => {
  it('holds a URL, and for a webhook one or two signing secrets', () => {
    const one = { url, secrets: [whsec(24)] };
    const two = { url, secrets: [whsec(32), whsec(64)] };
    for (const secret of [one, two])
      expect(parseSecret(endpoint('webhook'), JSON.stringify(secret))).toEqual(secret);
    expect(parseSecret(endpoint('slack'), JSON.stringify({ url }))).toEqual({ url });
    expect(parseSecret(endpoint('teams'), JSON.stringify({ url: 'http://127.0.0.1:1/x' })).url).toBeTruthy();
  });

  it.each([
    ['', /lacks the JSON object\./],
    ['hush', /lacks the JSON object\./],
    ['[]', /lacks the JSON object\./],
    ['{}', /lacks url, secrets\./],
    [JSON.stringify({ url: 'hush', secrets: [whsec(24)] }), /lacks url \(an https address/],
    [JSON.stringify({ url: 'ftp://hush.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 'https://hush:hush@a.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 7, secrets: [whsec(24)] }), /lacks url\./],
    [JSON.stringify({ url }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [] }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [whsec(24), whsec(24), whsec(24)] }), /lacks secrets \(two at most\)/],
    [JSON.stringify({ url, secrets: ['hush'] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: ['whsec_'] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: ['whsec_hush!'] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [whsec(23)] }), /24 to 64 bytes/],
    [JSON.stringify({ url, secrets: [whsec(65)] }), /24 to 64 bytes/],
  ])(
    'invariant 10: that is malformed (%s) is told by its name and the remedy, not by its content',
    (text, wrong) => {
      const parse = () => parseSecret(endpoint('webhook'), text);
      expect(parse).toThrow(wrong);
      expect(parse).toThrow(/^Endpoint crm: secret changewire\/endpoint\/crm .*put-secret-value --secret-id/);
      expect(parse).not.toThrow(/hush/);
    },
  );

  it('is read again after a minute, so that a new one is used without a deployment', async () => {
    let now = 0;
    const texts = [{ url: `${url}/1` }, { url: `${url}/2` }];
    const reads: string[] = [];
    const read = createSecrets(
      async id => {
        reads.push(id);
        return JSON.stringify(texts[reads.length - 1]);
      },
      () => now,
    );
    expect((await read(endpoint('slack'))).url).toBe(`${url}/1`);
    now = 59_999;
    expect((await read(endpoint('slack'))).url).toBe(`${url}/1`);
    now = 60_000;
    expect((await read(endpoint('slack'))).url).toBe(`${url}/2`);
    expect(reads).toEqual(['changewire/endpoint/crm', 'changewire/endpoint/crm']);
  });

  it('that can not be read is told by its name and the remedy, and asked for again at once', async () => {
    const failures: unknown[] = [
      Object.assign(new Error('hush'), { name: 'ResourceNotFoundException' }),
      'hush',
    ];
    const read = createSecrets(
      async () => {
        if (failures.length > 0) throw failures.shift();
        return JSON.stringify({ url });
      },
      () => 0,
    );
    const missing = await read(endpoint('slack')).catch((error: Error) => error.message);
    expect(missing).toMatch(
      /^Endpoint crm: secret changewire\/endpoint\/crm can not be read \(ResourceNotFoundException\)\. Make it: .*create-secret --name changewire\/endpoint\/crm --secret-string/,
    );
    expect(missing).not.toContain('hush');
    await expect(read(endpoint('slack'))).rejects.toThrow(
      /unknown error\)\. Put it there: .*put-secret-value/,
    );
    expect(await read(endpoint('slack'))).toEqual({ url });
  });
});
