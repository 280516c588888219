import { basename, dirname } from 'node:path';
import { configSchema } from '../../functions/config/schema.ts';
import type { Described } from './describe.ts';
import type { Member } from './members.ts';

/** Finds the page that describes an export or a member, so that the API page only names it. Undefined: the API page
 *  describes it. */
export interface Elsewhere {
  pageOf(one: Described): string | undefined;
  pageOfMember(one: Described, member: Member): string | undefined;
}

/** Without other pages. */
export const NOWHERE: Elsewhere = { pageOf: () => undefined, pageOfMember: () => undefined };

/** The objects of the configuration that properties of the construct repeat. */
export const OBJECTS: Readonly<Record<string, string>> = {
  WorkspaceProps: 'workspaces[]',
  IdentifiersProps: 'workspaces[].identifiers',
  PageSizeProps: 'workspaces[].pageSize',
  LinkTemplateProps: 'workspaces[].linkTemplate',
  ProcessProps: 'workspaces[].processes[]',
  RuleProps: 'workspaces[].processes[].rules[]',
  ChangesProps: 'changes',
  KeepProps: 'keep',
  SubscriptionProps: 'subscriptions[]',
  SubscriptionFilterProps: 'subscriptions[].filter',
  DeliveryProps: 'subscriptions[].delivery',
  EndpointProps: 'endpoints[]',
  FilterProps: 'endpoints[].filter',
  ValueFilterProps: 'endpoints[].filter.values[]',
};

/** The types of conditions in filters. */
const CONDITIONS = new Set([
  'ConditionsProps',
  'FieldTestsProps',
  'FieldValue',
  'FieldValues',
  'NegatedTestsProps',
  'ValueTestsProps',
]);

/** The pages for the package: docs/events.md describes the events, docs/configuration.md the configuration, and
 *  docs/filters.md its conditions. */
export const ELSEWHERE: Elsewhere = {
  pageOf: ({ name, path }) => {
    if (path.endsWith('/receiver/event.ts')) return 'events.md';
    if (CONDITIONS.has(name)) return 'filters.md';
    return basename(dirname(path)) === 'props' && name in OBJECTS ? 'configuration.md' : undefined;
  },
  pageOfMember: ({ name }, member) =>
    name === 'ChangewireProps' && member.name in configSchema.shape
      ? 'configuration.md#top-level'
      : undefined,
};
