import { describe, expect, it } from 'vitest';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { parseSecret, type SecretStore } from '../../functions/endpoints/secret.ts';
import { createSecrets } from '../../functions/endpoints/secrets.ts';

const endpoint = (kind: EndpointSettings['kind']): EndpointSettings => ({ name: 'crm', kind });
/** Secrets by what `read` answers to an endpoint's name. */
const store = (read: (name: string) => Promise<string> = async () => ''): SecretStore => ({
  read,
  nameOf: name => `/changewire/endpoints/${name}`,
  putting: (name, text) => `put ${name} '${text}'`,
});
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'hush').toString('base64')}`;
const url = 'https://hush.example.com/hush?hush';

describe('an endpoint’s secret', () => {
  it('holds a URL, and for a webhook one or two signing secrets', () => {
    const one = { url, secrets: [whsec(24)] };
    const two = { url, secrets: [whsec(32), whsec(64)] };
    for (const secret of [one, two])
      expect(parseSecret(endpoint('webhook'), store(), JSON.stringify(secret))).toEqual(secret);
    expect(parseSecret(endpoint('slack'), store(), JSON.stringify({ url }))).toEqual({ url });
    expect(
      parseSecret(endpoint('teams'), store(), JSON.stringify({ url: 'http://127.0.0.1:1/x' })).url,
    ).toBeTruthy();
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
    [JSON.stringify({ url: 'https://hush@a.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 'https://:hush@a.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 'xhttp://hush.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url, secrets: {} }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [7] }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [whsec(30).slice(6)] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [`whsec_!${whsec(30).slice(6)}`] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [whsec(65)] }), /24 to 64 bytes/],
  ])(
    'invariant 10: that is malformed (%s) is told by its name and the remedy, not by its content',
    (text, wrong) => {
      const parse = () => parseSecret(endpoint('webhook'), store(), text);
      expect(parse).toThrow(wrong);
      expect(parse).toThrow(/^Endpoint crm: secret \/changewire\/endpoints\/crm .*Put it there: put crm '/);
      expect(parse).not.toThrow(/hush/);
    },
  );

  it('that is malformed is told with the very command that mends it', () => {
    const command = (example: string) =>
      `Endpoint crm: secret /changewire/endpoints/crm lacks the JSON object. Put it there: put crm '${example}'`;
    expect(() => parseSecret(endpoint('webhook'), store(), '[]')).toThrow(
      new Error(command('{"url":"https://…","secrets":["whsec_…"]}')),
    );
    for (const kind of ['slack', 'teams'] as const)
      expect(() => parseSecret(endpoint(kind), store(), 'hush')).toThrow(
        new Error(command('{"url":"https://…"}')),
      );
  });

  it('is read again after 20 s, so that a rotation is obeyed within half a minute', async () => {
    let now = 0;
    const texts = [{ url: `${url}/1` }, { url: `${url}/2` }];
    const reads: string[] = [];
    const secrets = store(async name => {
      reads.push(name);
      return JSON.stringify(texts[reads.length - 1]);
    });
    const read = createSecrets(secrets, () => now);
    expect((await read(endpoint('slack'))).url).toBe(`${url}/1`);
    now = 19_999;
    expect((await read(endpoint('slack'))).url).toBe(`${url}/1`);
    now = 20_000;
    expect((await read(endpoint('slack'))).url).toBe(`${url}/2`);
    expect(reads).toEqual(['crm', 'crm']);
  });

  it('is kept for its own endpoint', async () => {
    const read = createSecrets(
      store(async name => JSON.stringify({ url: `https://${name}.example/` })),
      () => 0,
    );
    for (const name of ['one', 'two', 'one'])
      expect((await read({ ...endpoint('teams'), name })).url).toBe(`https://${name}.example/`);
  });

  it('that can not be read is told by its name and the remedy, and asked for again at once', async () => {
    const failures: unknown[] = [Object.assign(new Error('hush'), { name: 'ParameterNotFound' }), 'hush'];
    const secrets = store(async () => {
      if (failures.length > 0) throw failures.shift();
      return JSON.stringify({ url });
    });
    const read = createSecrets(secrets, () => 0);
    const told = (why: string) =>
      `Endpoint crm: secret /changewire/endpoints/crm can not be read (${why}). Put it there: put crm '{"url":"https://…"}'`;
    await expect(read(endpoint('slack'))).rejects.toThrow(new Error(told('ParameterNotFound')));
    await expect(read(endpoint('slack'))).rejects.toThrow(new Error(told('unknown error')));
    expect(await read(endpoint('slack'))).toEqual({ url });
  });
});
