import { describe, expect, it } from 'vitest';
import { headersIn } from '../../console/model/header-lines.ts';
import { harmless, quote } from '../../functions/delivery/http/quote.ts';
import { jobsOf } from '../../functions/delivery/kinds.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { changedHeaders, headerIn, headersProblem } from '../../functions/model/headers.ts';
import { parseSecret } from '../../functions/model/secret.ts';
import { SECRET } from '../kit/delivery/setting.ts';
import { eventsOf } from '../kit/operations/events.ts';

const SIGNED = { url: 'https://crm.example/hush', secrets: [SECRET] };
const store = { read: async () => '', nameOf: (name: string) => name, putting: () => 'put it' };
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'a']));

const SET_BY_OTHERS = [
  ...'Host content-type Content-Length content-encoding User-Agent Connection Expect TE upgrade'.split(' '),
  ...'keep-alive Trailer Date Transfer-Encoding Webhook-Id changewire-replay Proxy-Authorization'.split(' '),
];

describe('the headers of an endpoint', () => {
  it.each([
    [{ Authorization: 'Bearer a b', 'X-Api-Key': '~!', Cookie: 'a=b; c=d' }, undefined],
    [many(10), undefined],
    [many(11), 'an endpoint has 10 headers at most'],
    [{ 'X-A': '1', 'x-a': '2' }, 'a header is given twice'],
    [{ '': 'hush' }, 'the name of a header has 1 to 64 letters, digits and "-"'],
    [{ 'a b': 'hush' }, 'the name of a header has 1 to 64 letters, digits and "-"'],
    [{ [`x${'y'.repeat(64)}`]: 'hush' }, 'the name of a header has 1 to 64 letters, digits and "-"'],
    [{ 'X-A': '' }, 'the value of X-A must have 1 to 2048 printable ASCII characters'],
    [{ 'X-A': ' hush' }, 'the value of X-A must have 1 to 2048 printable ASCII characters'],
    [{ 'X-A': 'hush\r\nX-B: 1' }, 'the value of X-A must have 1 to 2048 printable ASCII characters'],
    [{ 'X-A': 'hüsh' }, 'the value of X-A must have 1 to 2048 printable ASCII characters'],
    [{ 'X-A': 'a'.repeat(2049) }, 'the value of X-A must have 1 to 2048 printable ASCII characters'],
    ...SET_BY_OTHERS.map(
      name => [{ [name]: 'hush' }, `${name} is a header that Changewire or HTTP sets`] as const,
    ),
  ] as const)('%j: %s', (headers, problem) => {
    expect(headersProblem(headers)).toBe(problem);
  });

  it('are read from lines, of which an error shows no value', () => {
    expect(headerIn('Authorization:  Bearer a: b ')).toEqual(['Authorization', 'Bearer a: b']);
    for (const text of ['Bearer hush', 'X-A:', ': a', '']) expect(headerIn(text)).toBeUndefined();
    expect(headersIn('X-A: 1\n\n X-B: 2 ')).toEqual({ 'X-A': '1', 'X-B': '2' });
    expect(headersIn('X-A:', { removes: true })).toEqual({ 'X-A': null });
    for (const text of ['X-A: 1\nhush hush', 'hush:'])
      expect(() => headersIn(text)).toThrow(/^headers: line \d is not a name, a colon and a value\.$/);
  });

  it('are set and removed by name, whatever its case', () => {
    const headers = { Authorization: 'a', 'X-B': 'b' };
    expect(changedHeaders(headers, { authorization: 'c', 'x-b': null, 'X-C': 'd' })).toEqual({
      ...{ authorization: 'c', 'X-C': 'd' },
    });
    expect(changedHeaders(headers, {})).toEqual(headers);
  });

  it('stand in its secret, which names what is wrong with them, and no value', () => {
    const read = (headers: unknown) =>
      parseSecret({ name: 'crm', kind: 'webhook' }, store, JSON.stringify({ ...SIGNED, headers }));
    expect(read({ 'X-A': '1' })).toEqual({ ...SIGNED, headers: { 'X-A': '1' } });
    expect(() => read({ Host: 'hush' })).toThrow(
      'secret crm lacks headers that can be sent (Host is a header that Changewire or HTTP sets). ',
    );
    expect(() => read(['hush'])).toThrow('secret crm lacks headers (an object of texts). ');
    expect(() => read({ 'X-A': 1 })).toThrow(/^Endpoint crm: secret crm lacks (?!.*hush)/);
  });

  it.each([
    [{ kind: 'webhook' }, { 'webhook-id': expect.any(String), 'X-A': '1' }],
    [{ kind: 'slack' }, { 'X-A': '1' }],
    [{ kind: 'text', field: 'said', titleHeader: 'X-A' }, { 'X-A': expect.stringMatching(/^(?!1$)./) }],
  ] as const)('are sent with each request of %j; what its kind sets comes first', (settings, headers) => {
    const [event] = eventsOf(Date.UTC(2026, 10, 21));
    const body = JSON.stringify(event);
    const delivery = { id: '1', endpoint: 'crm', eventId: '1', at: 0, body, attributes: {}, event } as const;
    const endpoint: EndpointSettings = { name: 'crm', ...settings };
    const { jobs } = jobsOf([delivery as never], { endpoint });
    const request = jobs[0]?.request(0, { ...SIGNED, headers: { 'X-A': '1' } });
    expect(request?.headers).toMatchObject(headers);
  });

  it.each([
    ['Bearer Zm9vYmFyYmF6', 'no Zm9vYmFyYmF6'],
    ['Bearer Zm9vYmFyYmF6', `no ${Buffer.from('Bearer Zm9vYmFyYmF6').toString('base64')}`],
    ['s3cret', 'no s3cret'],
  ])('are in no quoted answer: %s', (value, answer) => {
    const secret = { url: 'https://crm.example/', headers: { Authorization: value } };
    expect(quote(answer, secret)).toBeUndefined();
    expect(harmless(answer, secret)).toBeUndefined();
    expect(quote('no such thing', secret)).toBe('no such thing');
  });
});
