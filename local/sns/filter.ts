import type { Attributes } from '../../functions/model/delivery.ts';

/** A filter policy over message attributes: each named attribute must have one of the values listed for it. */
export type Filter = Readonly<Record<string, readonly string[]>>;

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
