import type { EndpointSettings } from '../../model/endpoint.ts';

/** The form of a service's messages. */
export interface Form {
  /** The field of the body that holds the text. */
  readonly field: string;
  /** The field that holds the title; undefined: the header, or else the first line of the text. */
  readonly titleField?: string;
  readonly titleHeader?: string | undefined;
  /** Further fields of the body, and headers. */
  readonly more?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest text, in units of `size`. */
  readonly limit: number;
  readonly size: (text: string) => number;
  /** Whether the service reads Markdown, in which a backslash escapes. */
  readonly isMarkdown?: boolean;
}

const bytes = (text: string) => Buffer.byteLength(text);
const characters = (text: string) => text.length;

const PRESETS: Readonly<Record<string, Form>> = {
  // 32,000 bytes are allowed: more than people read.
  'google-chat': { field: 'text', limit: 4_000, size: bytes },
  // 16,383 characters; 4,000 on servers whose table of posts was never migrated.
  mattermost: { field: 'text', limit: 4_000, size: bytes, isMarkdown: true },
  discord: {
    field: 'content',
    // No mention notifies anyone; 4 keeps links from being unfolded.
    more: { allowed_mentions: { parse: [] }, flags: 4 },
    limit: 2_000,
    size: characters,
    isMarkdown: true,
  },
  ntfy: {
    field: 'message',
    titleField: 'title',
    // The server fills these templates from the body. Without them it shows the JSON itself.
    headers: { template: 'yes', title: '{{.title}}', message: '{{.message}}' },
    // 4,096 bytes, of which the services of phones also need some for the title.
    limit: 3_000,
    size: bytes,
  },
};

/** The form of an endpoint's messages: its preset's, or what its settings describe, within the smallest limit. */
export function formOf({ preset, field = 'text', titleHeader }: EndpointSettings): Form {
  const known = preset === undefined ? undefined : PRESETS[preset];
  return known ?? { field, titleHeader, limit: 2_000, size: bytes };
}
