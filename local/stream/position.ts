import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../../functions/basics/write-whole.ts';

const position = z.strictObject({
  /** A table that was made anew has another one. */
  streamArn: z.string(),
  /** By shard: the last record that is done with. `ended`: the shard has no more records. */
  shards: z.record(z.string(), z.strictObject({ sequenceNumber: z.string(), ended: z.boolean() })),
  /** The latest time in the key of a change record that is delivered: ms since 1970. */
  time: z.number(),
});

/** How far the stream was read, published and delivered. */
export type Position = z.infer<typeof position>;

export interface PositionStore {
  /** undefined before the first save. */
  load(): Position | undefined;
  save(position: Position): void;
}

export function memoryPosition(): PositionStore {
  let saved: Position | undefined;
  return {
    load: () => saved,
    save: next => {
      saved = next;
    },
  };
}

/** Keeps the position in a JSON file. A crash while it is written leaves the old position or the new one. */
export function filePosition(file: string): PositionStore {
  return {
    load: () => {
      const text = readIfThere(file);
      if (text === undefined) return undefined;
      try {
        return position.parse(JSON.parse(text));
      } catch (error) {
        throw new Error(`${file} is damaged. Delete it: changes may then be sent twice, but none is lost.`, {
          cause: error,
        });
      }
    },
    save: next => {
      mkdirSync(dirname(file), { recursive: true });
      writeWhole(file, JSON.stringify(next));
    },
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
