import { describe, expect, it } from 'vitest';
import { formErrors } from '../../../console/model/form-errors.ts';
import { checkEndpoint } from '../../../functions/config/endpoint.ts';

/** What the operations answer to such settings. */
function refusalOf(settings: object): string {
  const checked = checkEndpoint({ name: 'crm', kind: 'webhook', ...settings });
  return 'problems' in checked ? checked.problems.join('\n') : '';
}

describe('the errors of a form', () => {
  it('stand beside the field that they are about, in plain words', () => {
    expect(formErrors(refusalOf({ name: 'bad name!' }))).toEqual({
      name: 'Use 1 to 64 letters, digits, “-” and “_”.',
    });
    expect(
      formErrors('There is an endpoint of this name already. Choose another name, or update it.'),
    ).toEqual({
      name: 'An endpoint with this name already exists. Choose another name.',
    });
    expect(formErrors('url: Cannot deliver to this endpoint: its URL is not https.')).toEqual({
      url: 'Cannot deliver to this endpoint: its URL is not https.',
    });
    expect(
      formErrors(
        'A signing secret is whsec_ followed by the base64 of 24 to 64 bytes. Omit it to have one generated.',
      ),
    ).toEqual({
      secret:
        'A signing secret is whsec_ followed by the base64 of 24 to 64 bytes. Omit it to have one generated.',
    });
    expect(formErrors(refusalOf({ kind: 'text', preset: 'irc', field: 'a b' }))).toEqual({
      preset: 'One of "google-chat", "mattermost", "discord", "ntfy".',
      field: '1 to 64 letters, digits, "-" and "_".',
    });
    expect(formErrors(refusalOf({ perSecond: 0.5 }))).toEqual({
      perSecond: 'Use a whole number from 1 to 100.',
    });
  });

  it('of a filter stand beside the part that is wrong, without its path', () => {
    expect(formErrors(refusalOf({ filter: { projects: ['x'.repeat(300)] } }))).toEqual({
      projects: 'Text of 1 to 256 characters.',
    });
    expect(
      formErrors('filter.processes[0]: no process of this identifier is watched. Did you mean launch?'),
    ).toEqual({ processes: 'No process of this identifier is watched. Did you mean launch?' });
    expect(formErrors(refusalOf({ filter: { events: ['source.held'], fields: ['a'] } })).events).toMatch(
      /^"source.held", which never matches Changed fields; allowed /,
    );
  });

  it('that are about no field are shown as they are, each once', () => {
    expect(formErrors('This failed in the run, which says why.')).toEqual({
      other: 'This failed in the run, which says why.',
    });
    const both = formErrors(
      `${refusalOf({ name: 'a b', perSecond: 0 })}\nfilter: x\nfilter.values[0]: y\nfilter.values[1]: z`,
    );
    expect(Object.keys(both).sort()).toEqual(['name', 'other', 'perSecond', 'values']);
    expect(both.values).toBe('Y\nZ');
    expect(both.other).toBe('filter: x');
  });
});
