import type { Agent, Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

/** A service whose `Date` header, or whose update times, cannot be right. */
const stage = openStage();
let world: World;
const { told } = stage;

/** Puts another Date into every answer. */
const redated =
  (date: () => string | undefined): Dispatcher.DispatcherComposeInterceptor =>
  dispatch =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, { ...headers, date: date() ?? headers.date }, message),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });

const ABSURD: Record<string, (n: number) => string | undefined> = {
  'in 1970': () => 'Thu, 01 Jan 1970 00:00:00 GMT',
  'in 2999': () => 'Fri, 31 Dec 2999 23:59:59 GMT',
  'no date': () => 'tomorrow',
  'now right, now in 2999, now in 1970': n =>
    [undefined, 'Fri, 31 Dec 2999 23:59:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'][n % 3],
};

/** One edit before each pass, for an hour; all are told, each by its pass, with a time at which it can have been. */
async function expectTold(run: () => Promise<unknown>): Promise<void> {
  for (let minute = 1; minute <= 8; minute++) {
    world.pass(450_000);
    world.edit.updateProject(PROCESS, '1001', { budget: String(minute) });
    const at = world.clock.now;
    world.pass(20_000);
    await run();
    const events = await world.events();
    expect(events).toHaveLength(minute);
    const { data } = events.at(-1) ?? {};
    const observed = data && 'observed' in data ? data.observed : undefined;
    expect(Date.parse(observed?.after ?? '')).toBeLessThanOrEqual(at);
    expect(Date.parse(observed?.before ?? '')).toBeGreaterThanOrEqual(at);
    expect(Date.parse(observed?.before ?? '')).toBeLessThanOrEqual(world.clock.now + 2_000);
  }
}

describe('a Date header that says', () => {
  it.each(Object.entries(ABSURD))(
    '%s hides no change, and tells no time of its own',
    async (_title, dateOf) => {
      world = await stage.create({ freedoms: { auditDenied: 403 } });
      let answers = 0;
      let isAbsurd = true;
      const openAgent = (options: Agent.Options) =>
        world.openAgent(options).compose(redated(() => (isAbsurd ? dateOf(answers++) : undefined)));
      const poll = world.poller({
        connect: target => world.connect({ ...target, ...({ openAgent } as object) }),
      });
      await world.run('changes', { poll });
      await expectTold(() => world.run('changes', { poll }));
      isAbsurd = false;
      world.pass(60_000);
      await world.run('sweep', { poll });
      world.edit.updateProject(PROCESS, '1002', { budget: '9' });
      world.pass(60_000);
      await world.run('changes', { poll });
      expect((await told()).slice(8)).toEqual(['project.updated 1002 budget: "" → "9"']);
    },
  );
});

describe('a record’s update time, of a service that shows no other clock,', () => {
  it.each(['9999-12-31T23:59:59.999Z', 1e300, -1, 0, 'soon', 'x'.repeat(300)])(
    'hides no change when it is %s',
    async updatedAt => {
      world = await stage.create({ freedoms: { auditDenied: 403, dateHeader: false } });
      world.service.fail({
        when: ({ path }) => path.includes('/projects?'),
        times: 1_000,
        fault: {
          change: body => ({
            ...body,
            projects: (body.projects as object[]).map((project, index) =>
              index === 0 ? project : { ...project, updatedAt },
            ) as never,
          }),
        },
      });
      await world.run();
      await expectTold(() => world.run());
    },
  );
});
