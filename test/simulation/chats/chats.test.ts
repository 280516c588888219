import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent, DueEvent } from '../../../functions/model/event.ts';
import {
  batches,
  change,
  commitOf,
  field,
  floodMessage,
  slackMessages,
  teamsMessages,
  templates,
  windowMessages,
} from '../../kit/delivery/chat-batches.ts';
import { histories } from '../../kit/delivery/histories.ts';
import { readSlack } from '../../kit/delivery/read-slack.ts';
import { readTeams } from '../../kit/delivery/read-teams.ts';
import { exampleEvent } from '../../kit/examples/receiver.ts';
import { Violation } from '../oracle/violation.ts';
import { textAt } from '../texts.ts';
import { floodFault, isSummary } from './check-flood.ts';
import { tellsFolded, tellsGroup } from './check-message.ts';
import { foldPlaces } from './fold.ts';

const CHATS = [
  { name: 'Slack', messages: slackMessages, read: readSlack },
  { name: 'Teams', messages: teamsMessages, read: readTeams },
];

/** What is wrong with the messages for these events. `alter` first changes what a message shows, as a bug
 *  would. */
function faults(
  { messages, read }: (typeof CHATS)[number],
  events: readonly ChangeEvent[],
  alter = (text: string) => text,
  templates: LinkTemplates = [],
) {
  return messages(events, { linkTemplates: templates }).map(({ body, eventIds }) => {
    const unique = [...new Map(events.map(event => [event.id, event])).values()];
    try {
      const told = tellsGroup(
        read(alter(body)),
        unique.filter(({ id }) => eventIds.includes(id)),
        templates,
      );
      return typeof told === 'string' ? told : undefined;
    } catch (error) {
      if (error instanceof Violation) return error.message;
      throw error;
    }
  });
}

const ANN = { id: 'u-1', name: 'Ann Lee' };
const BOB = { id: 'u-2', name: 'Bob Ray' };
/** 70 changes of 15 projects and their process. */
const FLOOD = [
  ...Array.from({ length: 14 }, (_, project) =>
    commitOf(
      Array.from({ length: 4 }, (_, task) =>
        change(`t-${task}`, `Task ${task}`, [field('Status', 'Open', 'Done')]),
      ),
      {
        ...{ projectId: `p-${project}`, name: `Project ${project}`, version: 1.8e12 + project },
        actors: { 't-0': [ANN], 't-1': [ANN, BOB] },
      },
    ),
  ).flat(),
  ...commitOf([change('t', 'Call', [field('Status', 'Open', 'Done'), field('Owner', 'Ann', 'Bob')])]),
  ...(batches.fields ?? []),
  ...(batches.outage ?? []).slice(1),
  ...commitOf([change('p-13', 'Project 13', [], { entity: 'project', action: 'deleted' })], {
    ...{ projectId: 'p-13', name: 'Project 13', version: 1.8e12 + 99 },
  }),
];

const PROJECTS = 'https://app.example.com/customer-projects';
const nextDigit = (digits: string) => String(Number(digits) + 1);
const nextSecond = (_: string, begin: string, second: string) => begin + (Number(second) + 1);

describe.each(CHATS)('the judge of what $name shows', chat => {
  it.each(Object.entries(batches))(
    'takes what is sent for the batch “%s”, with links and without',
    (_, events) => {
      expect(faults(chat, events).filter(Boolean)).toEqual([]);
      expect(faults(chat, events, undefined, templates).filter(Boolean)).toEqual([]);
    },
  );

  it.each<[what: string, batch: string, alter: (body: string) => string]>([
    ['another value', 'single', body => body.replaceAll('In progress', 'In Progress')],
    ['another title', 'single', body => body.replaceAll('Website relaunch', 'Website relaunches')],
    ['another count', 'single', body => body.replace('1 change in', '2 changes in')],
    ['another time', 'single', body => body.replaceAll(/(09:29:|17954261)(\d\d)/g, nextSecond)],
    ['a link to another record', 'typical', body => body.replace('?task=t-2', '?task=t-1')],
    ['a link to another project', 'typical', body => body.replace('/p/p-1042"', '/p/p-1043"')],
    ['a link of a part of the name', 'typical', body => body.replace('"Agree on', '"')],
    ['a link to nothing', 'typical', body => body.replace(`${PROJECTS}/p/p-1042?task=t-1`, '')],
    ['a notification of another change', 'typical', body => body.replace('Phase Design →', 'Phase Draft →')],
    ['another count in the notification', 'typical', body => body.replace('and 6 more', 'and 5 more')],
    ['a notification of no project', 'typical', body => body.replace('Project \\"Website', 'Project \\"Web')],
    ['somebody else', 'person', body => body.replaceAll('Amira Haddad', 'Amir Haddad')],
    ['who made another change', 'people', body => body.replace('by u-9', 'by Amira Haddad')],
    ['another order', 'people', body => body.replace('Ben Okafor and Amira', 'Amira and Ben Okafor')],
    ['too few others', 'people', body => body.replace('2 others', '1 others')],
    ['one for all', 'people', body => body.replace('6 changes in', 'Amira Haddad made 6 changes in')],
    ['nobody', 'people', body => body.replace(' · by u-9', '')],
    ['somebody where nobody is known', 'single', body => body.replace('1 change in', 'Ann made 1 change in')],
    ['somebody for more changes', 'people', body => body.replace(/\.\u2060? There are/u, ', and')],
    ['another number left out', 'many', body => body.replace(/(?<=… and )(\d+)(?= more changes)/, nextDigit)],
    ['another record', 'many', body => body.replace(/Done 3(?=")/, 'Done 4')],
  ])('refuses a message with %s', (_, name, alter) => {
    const batch = batches[name] ?? [];
    const links = name === 'typical' ? templates : [];
    expect(faults(chat, batch, alter, links).filter(Boolean)).not.toEqual([]);
  });

  describe('of a summary', () => {
    const kind = chat.name === 'Slack' ? ('slack' as const) : ('teams' as const);
    const { body } = floodMessage(FLOOD, { kind }, { linkTemplates: templates });
    const fault = (events: readonly ChangeEvent[], text = body) => {
      const shown = chat.read(text);
      return isSummary(shown) ? floodFault(shown, events, templates) : 'no summary';
    };

    it('takes it with every change', () => {
      expect(fault(FLOOD)).toBeUndefined();
      const [, ...others] = FLOOD;
      expect(fault(others)).toContain('its title is');
    });

    it('refuses it up to 50 changes', () => {
      const summedUp = (count: number) =>
        fault(FLOOD.slice(0, count), floodMessage(FLOOD.slice(0, count), { kind }).body);
      expect([50, 51].map(summedUp)).toEqual(['sums up 50 changes, which are told one by one', undefined]);
    });

    it.each<[what: string, alter: (text: string) => string]>([
      ['another total', text => text.replaceAll('66 changes', '67 changes')],
      ['another count of a type', text => text.replaceAll('58 changes of tasks', '57 changes of tasks')],
      ['another count of a project', text => text.replace('4 changes', '3 changes')],
      ['another count of the rest', text => text.replace(/(?<=more · )\d+/, nextDigit)],
      ['another number of places left out', text => text.replace(/(?<=and )\d+(?= more ·)/, nextDigit)],
      ['another actor', text => text.replace('by Ann Lee', 'by Ann Ray')],
      ['another count of unknown actors', text => text.replace(/(?<=unknown for )\d+/, nextDigit)],
      ['another project', text => text.replace('Project 3', 'Project 4')],
      ['a link to another project', text => text.replace('/p/p-3"', '/p/p-4"')],
    ])('refuses %s', (_, alter) => {
      expect(alter(body)).not.toBe(body);
      expect(fault(FLOOD, alter(body))).toEqual(expect.any(String));
    });
  });

  it('takes what a window sends of any changes, each project or all of them from the first value to the last', () => {
    const kind = chat.name === 'Slack' ? ('slack' as const) : ('teams' as const);
    fc.assert(
      fc.property(histories, ({ events }) => {
        for (const { body, eventIds } of windowMessages(events, { kind }, { linkTemplates: templates })) {
          const folded = foldPlaces(events.filter(({ id }) => eventIds.includes(id)));
          const shown = chat.read(body);
          const told = isSummary(shown)
            ? (floodFault(shown, folded.events, templates, folded) ?? { left: 0 })
            : tellsFolded(shown, folded, templates);
          expect(told).toEqual({ left: expect.any(Number) });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a link that the data bring, and one that is missing', () => {
    const [{ body = '', eventIds = [] } = {}] = chat.messages(batches.typical ?? [], {
      linkTemplates: templates,
    });
    const events = (batches.typical ?? []).filter(({ id }) => eventIds.includes(id));
    expect(tellsGroup(chat.read(body), events)).toContain('its title leads to https://app.example.com');
    const [{ body: bare = '' } = {}] = chat.messages(batches.typical ?? []);
    expect(tellsGroup(chat.read(bare), events, templates)).toContain('its title leads to undefined');
  });

  it('takes any names of those who made the changes, and none of them for another one', () => {
    const actors = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 5 });
    const madeBy = (one: readonly number[], other: readonly number[]) =>
      commitOf([change('t', 'Call', [field('Status', 'Open', 'Done')]), change('u', 'Meet', [])], {
        actors: Object.fromEntries(
          [one, other].map((numbers, index) => [
            'tu'.charAt(index),
            numbers.map(number => ({ id: `u-${number}`, name: textAt(number) })),
          ]),
        ),
      });
    fc.assert(
      fc.property(actors, actors, (one, other) => {
        expect(faults(chat, madeBy(one, other))).toEqual([undefined]);
        const [message] = chat.messages(madeBy(one, other));
        const shown = chat.read(message?.body ?? '');
        const swapped = tellsGroup(shown, madeBy([1_001, ...one], other));
        expect(swapped).toEqual(expect.any(String));
      }),
    );
  });

  it('takes a due date whose field has a long name, but no other name', () => {
    const event = exampleEvent('project.due') as DueEvent;
    const withName = (name: string) => {
      const project = { ...event.data.project, names: { [event.data.rule.field ?? '']: name } };
      return { ...event, data: { ...event.data, project } } as ChangeEvent;
    };
    const told = withName('Go-live '.repeat(20));
    expect(faults(chat, [told])).toEqual([undefined]);
    expect(faults(chat, [told], body => body.replace(/Go-live(?= Go-live Go)/, 'Go-life'))).toEqual([
      expect.stringContaining('does not tell'),
    ]);
    expect(faults(chat, [withName('Go-live')], body => body.replace('Go-live', 'Go-l…'))).toEqual([
      expect.stringContaining('does not tell'),
    ]);
  });

  it('takes any texts, and none of them for another one', () => {
    const [event] = (batches.single ?? []) as [ChangeEvent];
    const withTo = (to: string) =>
      ({
        ...event,
        data: { ...event.data, changes: [{ ...(event.data as { changes: object[] }).changes[0], to }] },
      }) as ChangeEvent;
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), (one, other) => {
        const [message] = chat.messages([withTo(textAt(one))]);
        const shown = chat.read(message?.body ?? '');
        expect(tellsGroup(shown, [withTo(textAt(one))])).toEqual({ left: 0 });
        if (textAt(one) !== textAt(other) && one % 4 !== 0)
          expect(tellsGroup(shown, [withTo(textAt(other))])).toContain('does not tell');
      }),
    );
  });
});
