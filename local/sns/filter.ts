/** A filter policy over message attributes: each named attribute must have one of the values listed for it. */
import type { Attributes } from '../../functions/model/delivery.ts';
export type Filter = Readonly<Record<string, readonly string[]>>;

/** Throws unless SNS would take the policy: 1 to 5 attributes, no empty list, at most 150 combinations. */
export function checkFilter(filter: Filter): void {
  const lists = Object.entries(filter);
  if (lists.length === 0 || lists.length > 5) {
    throw new Error(`Filter policy: names ${lists.length} attributes, SNS takes 1 to 5.`);
  }
  for (const [name, values] of lists) {
    if (values.length === 0)
      throw new Error(`Filter policy: "${name}" lists no value, so nothing would match.`);
  }
  const combinations = lists.reduce((product, [, values]) => product * values.length, 1);
  if (combinations > 150) {
    throw new Error(`Filter policy: ${combinations} combinations of values, SNS takes at most 150.`);
  }
}

/** Whether SNS would deliver a message with these attributes. For a `String.Array` one matching element
 *  is enough. */
export function matchesFilter(filter: Filter | undefined, attributes: Attributes): boolean {
  return Object.entries(filter ?? {}).every(([name, wanted]) => {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return attribute !== undefined && textsOf(attribute).some(text => wanted.includes(text));
  });
}

function textsOf(attribute: { readonly Type: string; readonly Value: string }): string[] {
  if (attribute.Type !== 'String.Array') return attribute.Type === 'String' ? [attribute.Value] : [];
  try {
    const elements: unknown = JSON.parse(attribute.Value);
    return Array.isArray(elements) ? elements.filter(element => typeof element === 'string') : [];
  } catch {
    return [];
  }
}
