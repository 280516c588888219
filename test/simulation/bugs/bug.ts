/** A deliberate bug: what it is called, and how it is put into the code. Each `find` stands exactly once in its file. */
export interface Bug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

export const edit = (file: string, find: string, replace: string) => ({
  file: `functions/${file}`,
  find,
  replace,
});
