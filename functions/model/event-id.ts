/** Percent-encodes all but letters, digits, `_`, `-` and `~`: dots too, because they separate the parts of an
 *  event's id, and `#`, because it separates those of a table key. Different texts stay different, even with
 *  lone surrogates. */
export function encodePart(text: string): string {
  if (text.isWellFormed()) return encodeText(text);
  return text.replace(/\P{Cs}+|\p{Cs}/gu, part =>
    part.isWellFormed() ? encodeText(part) : encodeSurrogate(part),
  );
}

function encodeSurrogate(surrogate: string): string {
  return `%u${surrogate.charCodeAt(0).toString(16).toUpperCase()}`;
}

function encodeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[.!*'()]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes what `encodePart` returned. */
export function decodePart(encoded: string): string {
  const parts = encoded.split(/%u([0-9A-F]{4})/);
  return parts
    .map((part, index) =>
      index % 2 === 1 ? String.fromCharCode(Number.parseInt(part, 16)) : decodeURIComponent(part),
    )
    .join('');
}

/** Decodes a part of a path; returns one that is not percent-encoded as it is. */
export function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `<process>.<project>.<version>.<index>` (design.md §8). An event about the process itself has no project. */
export function eventId(processId: string, projectId: string, version: number, index: number): string {
  return [encodePart(processId), encodePart(projectId), version, index].join('.');
}

/** The part of an event's id that names its project; for an event about the process itself, the process. Ids of
 *  snapshots have more than four parts, and begin with two of their own. */
export function projectPart(id: string): string {
  const parts = id.split('.');
  return (parts.length > 4 ? parts.slice(2, 4) : parts.slice(0, 2)).join('.');
}

/** The id of the event of an audit entry, `<process>..<digest>.0`: the same entry has the same one. A digest
 *  has more characters than a version, so that none is taken for one. */
export function auditEventId(processId: string, digest: string): string {
  return [encodePart(processId), '', digest, 0].join('.');
}

const HEALTH = 'changewire.health';

/** The id of an event about an endpoint's health: `changewire.health.<endpoint>..<version>.<depth>`. It has six
 *  parts, unlike that of a change, and `projectPart` keeps the events of one endpoint in order. */
export function healthEventId(endpoint: string, version: number, depth: number): string {
  return `${HEALTH}.${endpoint}..${version}.${depth}`;
}

/** How many steps of "an event could not be delivered, which is an event" lead to this event: 0 for a change. */
export function depthOf(id: string): number {
  const parts = id.split('.');
  return id.startsWith(`${HEALTH}.`) && parts.length === 6 ? Number(parts[5]) + 1 : 0;
}

/** The URI reference that names where an event comes from. */
export function eventSource(workspace: string, processId: string): string {
  return `/workspaces/${encodePart(workspace)}/processes/${encodePart(processId)}`;
}
