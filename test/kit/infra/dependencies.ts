import type { Template } from 'aws-cdk-lib/assertions';

interface Resource {
  readonly Type: string;
  readonly Properties?: unknown;
  readonly DependsOn?: string | readonly string[];
}

/** The logical ids of a type. */
export function idsOf(template: Template, type: string): string[] {
  return Object.keys(template.findResources(type));
}

/** The logical ids of all resources that CloudFormation makes before this one: by `DependsOn` and by references, of
 *  its own and of theirs. */
export function madeBefore(template: Template, id: string): Set<string> {
  const resources = template.toJSON().Resources as Record<string, Resource>;
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const each of directly(resources[next])) {
      if (!(each in resources) || found.has(each)) continue;
      found.add(each);
      open.push(each);
    }
  return found;
}

function directly(resource: Resource | undefined): string[] {
  return [...[resource?.DependsOn ?? []].flat(), ...references(resource?.Properties)];
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref') return [String(inner)];
    if (key === 'Fn::GetAtt') return [String([inner].flat()[0]).split('.')[0] ?? ''];
    if (key === 'Fn::Sub')
      return [...String([inner].flat()[0]).matchAll(/\$\{([A-Za-z0-9]+)/g)].map(([, id = '']) => id);
    return references(inner);
  });
}
