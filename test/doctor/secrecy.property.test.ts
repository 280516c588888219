import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import { createWatch } from '../../functions/doctor/watch.ts';
import { doctorAnswer } from '../../functions/operations/protocol/answers.ts';
import type { SeenRequest } from '../../simulator/server.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';

const isData = ({ path }: SeenRequest) => !path.includes('token');
const ALWAYS = 100_000;
const timeOf = (second: number | string) => `2026-07-01T09:00:${second}Z`;

/** Places of an answer where a careless service may put what it was told. */
const places = {
  'a value of each record': (body, secret) =>
    inRecords(body, record => ({ ...record, echo: `x ${secret} y` })),
  'a key of each record': (body, secret) =>
    inRecords(body, record => ({ [secret]: timeOf('00'), ...record })),
  'a time that is unusual': (body, secret) =>
    inRecords(body, (record, index) => ({ ...record, [`${secret}At`]: timeOf(10 + (index % 50)) })),
  identifiers: (body, secret) =>
    inRecords(body, (record, index) => ({ ...record, id: `${secret}-${index}` })),
  'the name of a list': (body, secret) =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        ...[Array.isArray(value) && key !== 'projects' ? secret : key, value],
      ]),
    ),
  cursors: (body, secret) =>
    isJsonObject(body.paging)
      ? { ...body, paging: { ...body.paging, hasNextPage: true, endCursor: secret } }
      : body,
  'a second list': (body, secret) => ({ ...body, [secret]: [secret] }),
  'names of definitions': (body, secret) => ({
    ...body,
    groups: [{ fields: [{ externalId: secret, type: secret, name: secret }] }],
  }),
} satisfies Record<string, (body: JsonObject, secret: string) => JsonObject>;

function inRecords(body: JsonObject, change: (record: JsonObject, index: number) => JsonObject): JsonObject {
  const lists = Object.entries(body).map(([key, value]): [string, Json] => [
    key,
    Array.isArray(value)
      ? value.map((each, index) => (isJsonObject(each) ? change(each, index) : each))
      : value,
  ]);
  return Object.fromEntries(lists);
}

type Place = keyof typeof places;

test('no secret and no token is in what a doctor says, wherever the service sends it back (design.md §11, invariant 10)', async () => {
  const some = fc.subarray(Object.keys(places) as Place[], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(some, fc.boolean(), fc.constantFrom(600, 4), async (chosen, ofToken, tokenLifetime) => {
      const { service, options, examine, time } = lively({ tokenLifetime });
      const secrets = [service.clientSecret];
      const learn = (body: JsonObject) => {
        secrets.push(String(body.access_token));
        return body;
      };
      service.fail({ when: ({ path }) => path.includes('token'), times: ALWAYS, fault: { change: learn } });
      const echo = (body: JsonObject) =>
        chosen.reduce((so, place) => places[place](so, (ofToken ? secrets.at(-1) : secrets[0]) ?? ''), body);
      service.fail({ when: isData, times: ALWAYS, fault: { change: echo } });
      const progress: string[] = [];
      const watch = createWatch({ ...options, editWithin: 30_000, traceWithin: 10_000, most: 60 });
      const said = [
        await examine(),
        await watch({ workspace: 'w', processId: PROCESS }, { report: text => progress.push(text) }),
        progress,
      ];
      expect(time.now).toBeGreaterThan(0);
      const text = JSON.stringify(said);
      expect(secrets.filter(secret => text.includes(secret))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('whatever a service answers, a doctor ends with findings that are as they must be', async () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  const page = fc.record({
    projects: fc.array(json, { maxLength: 5 }),
    paging: fc.oneof(json, fc.record({ hasNextPage: fc.boolean(), endCursor: fc.oneof(json, fc.string()) })),
  }) as fc.Arbitrary<Json>;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.oneof(json, page)), async answers => {
      const { service, options, examine } = lively();
      service.fail({ when: isData, times: ALWAYS, fault: { change: () => answers.next().value as Json } });
      const answer = await examine();
      expect(doctorAnswer.parse(answer)).toEqual(answer);
      expect(answer.findings.filter(({ came }) => /Cannot|is not (?!JSON)|undefined/.test(came))).toEqual([]);
      const watch = createWatch({ ...options, editWithin: 10_000, traceWithin: 10_000, most: 60 });
      const watched = await watch({ workspace: 'w', processId: PROCESS });
      expect(doctorAnswer.parse(watched)).toEqual(watched);
      expect(service.requests.length).toBeLessThan(150);
    }),
    { numRuns: 60 },
  );
});
