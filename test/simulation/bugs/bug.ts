/** A deliberate bug: its name, and how it is put into the code. Each `find` occurs exactly once in its
 *  file. */
export interface Bug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** The small world whose enumeration finds it: a part of its name. Then no seeds are simulated. */
  readonly smallWorld?: string;
  /** The tests that find it, if the simulation doesn't: files under `test/`. */
  readonly tests?: readonly string[];
}

export const edit = (file: string, find: string, replace: string) => ({
  file: `functions/${file}`,
  find,
  replace,
});

/** The folder of `functions/`, or the file in it, that has the bug. */
export function roomOf({ edits: [first] }: Bug): string {
  return first?.file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}
