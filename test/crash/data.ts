import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a run keeps in its data directory, as far as this test looks into it. */
export class Data {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** When the process was last swept, in ms since 1970; 0 before the first time. */
  sweptAt(workspace: string, processId: string): number {
    const file = join(this.path, 'sweeps.json');
    if (!existsSync(file)) return 0;
    return (
      (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>)[`${workspace}/${processId}`] ?? 0
    );
  }

  /** Makes everything due that is to be tried again later: here the minutes and hours are over. No run may be alive. */
  letTimePass(): void {
    for (const file of this.#files('undelivered', '.jsonl')) {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const due = lines.map(line => JSON.stringify({ ...JSON.parse(line), due: undefined }));
      writeFileSync(file, due.map(line => `${line}\n`).join(''));
    }
  }

  /** What was given up or rejected: nothing may be. */
  get givenUp(): string[] {
    const files = [...this.#files('dead-letters', '.jsonl'), ...this.#files('.', 'rejected.jsonl')];
    return files.flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => `It was given up, in ${file}: ${line.slice(0, 500)}`),
    );
  }

  #files(folder: string, ending: string): string[] {
    const path = join(this.path, folder);
    const names = existsSync(path) ? readdirSync(path) : [];
    return names.filter(name => name.endsWith(ending)).map(name => join(path, name));
  }
}
