import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../functions/delivery/sender.ts';
import type { EndpointSecret, EndpointSettings } from '../../functions/model/endpoint.ts';
import { parseSecret, type SecretStore } from '../../functions/model/secret.ts';
import { AT, HOUR, MINUTE } from '../kit/delivery/setting.ts';

const endpoint = (kind: EndpointSettings['kind']): EndpointSettings => ({ name: 'crm', kind });
/** Secrets by what `read` answers to an endpoint's name. */
const store = (read: (name: string) => Promise<string> = async () => ''): SecretStore => ({
  read,
  nameOf: name => `/changewire/endpoints/${name}`,
  putting: (name, text) => `put ${name} '${text}'`,
});
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'hush').toString('base64')}`;
const url = 'https://hush.example.com/hush?hush';
const none = () => 0;

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
    ['{}', /lacks url, secrets\./],
    [JSON.stringify({ url: 'hush', secrets: [whsec(24)] }), /lacks url \(an https address/],
    [JSON.stringify({ url: 'ftp://hush.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [whsec(24), whsec(24), whsec(24)] }), /lacks secrets \(two at most\)/],
    [JSON.stringify({ url, secrets: ['hush'] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [whsec(23)] }), /24 to 64 bytes/],
    [JSON.stringify({ url: 'https://hush@a.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 'https://:hush@a.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url: 'xhttp://hush.example', secrets: [whsec(24)] }), /lacks url \(an https/],
    [JSON.stringify({ url, secrets: [7] }), /lacks secrets\./],
    [JSON.stringify({ url, secrets: [whsec(30).slice(6)] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [`whsec_!${whsec(30).slice(6)}`] }), /lacks secrets \(each whsec_/],
    [JSON.stringify({ url, secrets: [whsec(65)] }), /24 to 64 bytes/],
  ])('invariant 10: that is malformed (%s) is told by name and remedy, not by its content', (text, wrong) => {
    const parse = () => parseSecret(endpoint('webhook'), store(), text);
    expect(parse).toThrow(wrong);
    expect(parse).toThrow(/^Endpoint crm: secret \/changewire\/endpoints\/crm .*Put it there: put crm '/);
    expect(parse).not.toThrow(/hush/);
  });

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

  /** A store that counts its reads, with the number of the read in each address. */
  function counted(random = 0) {
    const state = { now: AT, reads: 0 };
    const secrets = store(async () => JSON.stringify({ url: `${url}/${++state.reads}` }));
    const clock = () => state.now;
    return { state, ...createSecrets(secrets, clock, () => random) };
  }

  it.each([
    [0, 10],
    [0.5, 12.5],
    [1, 15],
  ])('is read again after 10 to 15 minutes (by chance %d, after %d)', async (random, minutes) => {
    const { state, readSecret } = counted(random);
    expect((await readSecret(endpoint('slack'))).url).toBe(`${url}/1`);
    state.now = AT + minutes * MINUTE - 1;
    expect((await readSecret(endpoint('slack'))).url).toBe(`${url}/1`);
    state.now += 1;
    expect((await readSecret(endpoint('slack'))).url).toBe(`${url}/2`);
  });

  it('is read again at once when its revision changed, also to none', async () => {
    const { state, readSecret } = counted();
    const revisions = [undefined, undefined, AT - HOUR, AT - HOUR, AT - MINUTE, AT - MINUTE, undefined];
    for (const revision of revisions) await readSecret(endpoint('slack'), { revision });
    expect(state.reads).toBe(4);
  });

  it('that was written within the last minute is kept for 20 s: the read may not have seen it yet', async () => {
    const { state, readSecret } = counted();
    const reads: number[] = [];
    for (const ms of [0, 19_999, 20_000, 40_000, 60_000, 10 * MINUTE]) {
      state.now = AT + ms;
      await readSecret(endpoint('slack'), { revision: AT });
      reads.push(state.reads);
    }
    expect(reads).toEqual([1, 1, 2, 3, 4, 4]);
  });

  it('that is in doubt is read again, once it was kept for 20 s', async () => {
    const { state, readSecret, doubtSecret } = counted();
    doubtSecret('crm');
    await readSecret(endpoint('slack'));
    doubtSecret('crm');
    for (const ms of [19_999, 20_000, 5 * MINUTE]) {
      state.now = AT + ms;
      await readSecret(endpoint('slack'));
    }
    expect(state.reads).toBe(2);
    doubtSecret('erp');
    await readSecret(endpoint('slack'));
    expect(state.reads).toBe(2);
    doubtSecret('crm');
    await readSecret(endpoint('slack'));
    expect(state.reads).toBe(3);
  });

  it('is reported when it was read, not when it was remembered', async () => {
    const { readSecret } = counted();
    const seen: string[] = [];
    const onRead = async (secret: EndpointSecret) => void seen.push(secret.url);
    for (let turn = 0; turn < 2; turn++) await readSecret(endpoint('slack'), { onRead });
    expect(seen).toEqual([`${url}/1`]);
  });

  it('is kept for its own endpoint', async () => {
    const secrets = store(async name => JSON.stringify({ url: `https://${name}.example/` }));
    const { readSecret: read } = createSecrets(secrets, none, none);
    for (const name of ['one', 'two', 'one'])
      expect((await read({ ...endpoint('teams'), name })).url).toBe(`https://${name}.example/`);
  });

  it('that can not be read is told by its name and the remedy, and asked for again at once', async () => {
    const failed = (details: object) => Object.assign(new Error('hush'), details);
    const failures: unknown[] = [failed({ name: 'ParameterNotFound' }), failed({ code: 'ENOENT' })];
    failures.push(failed({ name: 'ThrottlingException' }), failed({ code: 'EACCES' }), 'hush');
    const secrets = store(async () => {
      if (failures.length > 0) throw failures.shift();
      return JSON.stringify({ url });
    });
    const { readSecret: read } = createSecrets(secrets, none, none);
    const told = (why: string, remedy: string) =>
      new Error(`Endpoint crm: secret /changewire/endpoints/crm cannot be read (${why}). ${remedy}`);
    const put = `Put it there: put crm '{"url":"https://…"}'`;
    await expect(read(endpoint('slack'))).rejects.toThrow(told('ParameterNotFound', put));
    await expect(read(endpoint('slack'))).rejects.toThrow(told('ENOENT', put));
    // It may be there: putting another one would destroy it.
    for (const why of ['ThrottlingException', 'EACCES', 'unknown error'])
      await expect(read(endpoint('slack'))).rejects.toThrow(
        told(why, 'Try again, or restore the permission to read it.'),
      );
    expect(await read(endpoint('slack'))).toEqual({ url });
  });
});
