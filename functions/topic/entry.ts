import { serialise } from '../changes/fit-event.ts';
import type { ChangeEvent } from '../model/event.ts';

/** An event as it is published to SNS: the message, and the attributes for filter policies (design.md §8). */
export interface Message {
  readonly Message: string;
  readonly MessageAttributes: Record<string, Attribute>;
}

interface Attribute {
  readonly DataType: string;
  readonly StringValue: string;
}

/** The limit for the names of changed fields: with an event of 240 KB, the message stays below SNS's 256
 *  KB. */
const FIELD_NAMES_BYTES = 12_000;

export function messageOf(event: ChangeEvent): Message {
  const { data, source } = event;
  // Workspace names consist of letters, digits, `_` and `-`, so nothing in them is encoded.
  const workspace = source.split('/')[2] as string;
  // Properties of field definitions are left out: filters for changed fields refer to values in records.
  const fields =
    'changes' in data && !('field' in data) ? fittingNames(data.changes.map(change => change.field)) : [];
  return {
    Message: serialise(event),
    MessageAttributes: {
      eventType: text(event.type),
      workspace: text(workspace),
      processId: text(data.process.id),
      ...('project' in data && { projectId: text(data.project.id) }),
      ...(fields.length > 0 && {
        changedFields: { DataType: 'String.Array', StringValue: serialise(fields) },
      }),
    },
  };
}

/** The bytes that SNS counts towards its 256 KB: the message, and each attribute's name, type and value. */
export function bytesOf({ Message, MessageAttributes }: Message): number {
  const attributes = Object.entries(MessageAttributes).flatMap(([name, { DataType, StringValue }]) => [
    name,
    DataType,
    StringValue,
  ]);
  return [Message, ...attributes].reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function fittingNames(names: readonly string[]): string[] {
  let room = FIELD_NAMES_BYTES;
  return names.filter(name => {
    room -= Buffer.byteLength(JSON.stringify(name)) + 1;
    return room >= 0;
  });
}

function text(value: string): Attribute {
  const safe = value.toWellFormed().replace(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '\uFFFD');
  return { DataType: 'String', StringValue: safe };
}
