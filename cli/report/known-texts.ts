import { getSystemErrorMap } from 'node:util';

/** Texts of Changewire's own errors, as they are in the sources. */
export const KNOWN_TEXTS = [
  // Of the service client: functions/service/failures.ts, persist.ts and list.ts.
  'the connection failed',
  'redirects are not followed',
  'the credentials are refused',
  'access is denied',
  'there is no such thing',
  'the rate limit is exceeded',
  'the request is refused',
  'the service failed',
  'the service asks to wait',
  'would pass the deadline',
  'the deadline of the pass is reached',
  'a body that is not completely in its content-encoding',
  'a compressed one that inflates to more',
  'which was not requested',
  'exactly one array beside paging',
  'field definitions, or an empty list of them',
  'an object with a list and paging',
  'a cursor, as hasNextPage is true',
  'true on an empty page, again',
  'an object without keys',
  'an identifier of its own',
  'an identifier in Unicode',
  'levels of nesting',
  // Of passes: functions/pass/failures.ts and rechecks.ts.
  'The poller itself failed',
  'is too large to commit',
  'is listed, but its task list answers 404',
  'The list of projects lacks it',
  'What was read of it is not certain',
  'It cannot be read.',
  'Only the whole list of projects shows what became of it.',
  'Its deletion waits for a release',
  // Of deliveries: functions/delivery.
  'its URL is not https',
  'its address is not public',
  'last failure',
  'the event cannot be rendered',
  'no chat message contains the event',
  'the message is not valid JSON',
  'the message is nested too deep',
  'the message is not a change event',
  'Unreadable change record',
  'not acknowledged within',
  // Of the store and its file: functions/store/sqlite/database.ts, local/data/data-directory.ts.
  'is a database of another program',
  'but this version reads only layouts',
  'Could not open',
  'is not writable',
  'is in use by',
] as const;

/** Codes of the system and of Node. Others are not shown: they could be words of a quoted text. */
const CODES = [
  ...[...getSystemErrorMap().values()].map(([code]) => code),
  ...['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL', 'ENODATA', 'HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED'],
  ...['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SQLITE_ERROR'],
];

const TYPES = '(?:nothing|null|array|object|string|number|boolean)';
/** Properties of the service's answers that Changewire itself looks for. */
const PROPERTIES = '(?:paging|endCursor|hasNextPage|projects|tasks|users|definitions|auditLog|id)';

/** Texts with a number, a code or a property in them. */
const KNOWN_FORMS = [
  String.raw`\b(?:GET|POST)\b|/(?:processes|projects|tasks|users?|auditlog|oauth|token|(?:project|task)-custom-fields)\b`,
  String.raw`status [1-5]\d\d\b`,
  String.raw`answered [1-5]\d\d\b`,
  String.raw`no (?:whole body|answer) within [\d.]{1,9} m?s\b`,
  'no answer',
  String.raw`\(\d{1,4} attempts\)`,
  String.raw`at \$(?:\.${PROPERTIES}\b|\[\d{1,9}\])*`,
  'expected (?:JSON|an array|a boolean|a cursor|a new cursor|an object)\\b',
  `found ${TYPES}\\b`,
  String.raw`a body of at most \d{1,12} bytes`,
  String.raw`(?:failed for|within) \d{1,4} days`,
  String.raw`has layout \d{1,6}\b`,
  'database disk image is malformed|file is not a database|database is locked|disk I/O error|database or disk is full',
  `\\b(?:Type|Range|Syntax|Reference|Assertion)Error\\b`,
  `\\b(?:${CODES.join('|')})\\b`,
];

const KNOWN = new RegExp([...KNOWN_TEXTS.map(literal), ...KNOWN_FORMS].join('|'), 'g');

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The parts of an error's text that are Changewire's own, with numbers and codes. Foreign texts in it, such as the
 *  beginning of an answer, are in quotation marks: they are left out, with all else. */
export function knownPartsOf(text: string): string {
  const own = text.replaceAll(/".*"/gs, ' ');
  const parts = own.match(KNOWN) ?? [];
  return parts.length > 0 ? parts.join('; ') : `a text of ${text.length} characters`;
}
