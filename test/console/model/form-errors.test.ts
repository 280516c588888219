import { describe, expect, it } from 'vitest';
import { formErrors } from '../../../console/model/form-errors.ts';
import { checkEndpoint } from '../../../functions/config/endpoint.ts';

/** What the operations answer to such settings. */
function refusalOf(settings: object): string {
  const checked = checkEndpoint({ name: 'crm', kind: 'webhook', ...settings });
  return 'problems' in checked ? checked.problems.join('\n') : '';
}

describe('the errors of a form', () => {
  const SECRET =
    'A signing secret is whsec_ followed by the base64 of 24 to 64 bytes. Omit it to have one generated.';
  it.each([
    [refusalOf({ name: 'bad name!' }), { name: 'Use 1 to 64 letters, digits, “-” and “_”.' }],
    [
      'There is an endpoint of this name already. Choose another name, or update it.',
      { name: 'An endpoint with this name already exists. Choose another name.' },
    ],
    [
      'url: Cannot deliver to this endpoint: its URL is not https.',
      { url: 'Cannot deliver to this endpoint: its URL is not https.' },
    ],
    [SECRET, { secret: SECRET }],
    [
      refusalOf({ kind: 'text', preset: 'irc', field: 'a b' }),
      {
        preset: 'One of "google-chat", "mattermost", "discord", "ntfy".',
        field: '1 to 64 letters, digits, "-" and "_".',
      },
    ],
    ['filter.where: Enter its field.', { where: 'Enter its field.' }],
    [refusalOf({ batch: 1 }), { batch: 'A whole number from 2 to 100.' }],
    [refusalOf({ perSecond: 0.5 }), { perSecond: 'Use a whole number from 1 to 100.' }],
    [refusalOf({ filter: { projects: ['x'.repeat(300)] } }), { projects: 'Text of 1 to 256 characters.' }],
    [
      'filter.processes[0]: no process of this identifier is watched. Did you mean launch?',
      { processes: 'No process of this identifier is watched. Did you mean launch?' },
    ],
    [
      refusalOf({ filter: { events: ['source.held'], fields: ['a'] } }),
      { events: expect.stringMatching(/^"source.held", which never matches Changed fields; allowed /) },
    ],
  ])('stand beside the field that they are about, in plain words: %s', (refusal, errors) => {
    expect(formErrors(refusal)).toEqual(errors);
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
