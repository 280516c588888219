import type { JsonObject } from '../json.ts';
import { ServiceAnswerError } from '../service/errors.ts';
import type { PassParts } from './pass.ts';

/** Sees to it that records which seem new are not known ones under new identifiers: a service that renames the property
 *  which identifies them would make every one deleted and created. */
export class Identity {
  readonly #parts: PassParts;
  #property: Promise<string | undefined> | undefined;

  constructor(parts: PassParts) {
    this.#parts = parts;
  }

  /** @throws ServiceAnswerError when a project that nobody knows lacks the property that identifies the known ones */
  async checkProject(id: string, record: JsonObject): Promise<void> {
    this.#property ??= this.#knownProperty();
    const property = await this.#property;
    if (property === undefined || isThere(record, property)) return;
    throw changed(`GET /processes/${this.#parts.process.processId}/projects`, '$.projects', property, id);
  }

  /** @throws ServiceAnswerError when no task of a project is known, and all lack the property that identified those known */
  checkTasks(
    projectId: string,
    held: ReadonlyMap<string, JsonObject>,
    read: ReadonlyMap<string, JsonObject>,
  ): void {
    const [id] = read.keys();
    if (id === undefined || held.size === 0 || [...read.keys()].some(task => held.has(task))) return;
    const property = propertyOf(held);
    if (property === undefined || [...read.values()].some(task => isThere(task, property))) return;
    const { processId } = this.#parts.process;
    throw changed(`GET /processes/${processId}/projects/${projectId}/tasks`, '$', property, id);
  }

  /** The property that identifies a project which we hold, whichever comes first. */
  async #knownProperty(): Promise<string | undefined> {
    const { snapshots, process } = this.#parts;
    for await (const id of snapshots.projectIds(process)) {
      const held = await snapshots.load(process, id);
      return held && propertyOf(new Map([[id, held.content.record]]));
    }
    return undefined;
  }
}

function propertyOf(records: ReadonlyMap<string, JsonObject>): string | undefined {
  const [first] = records;
  if (!first) return undefined;
  const [id, record] = first;
  return Object.keys(record).find(name => textOf(record, name) === id);
}

function isThere(record: JsonObject, property: string): boolean {
  return textOf(record, property) !== '';
}

function textOf(record: JsonObject, property: string): string {
  const value = Object.hasOwn(record, property) ? record[property] : '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function changed(request: string, path: string, property: string, id: string): ServiceAnswerError {
  const expected = `records with ${property}, which identified those known`;
  const remedy =
    'If the service renamed it for good, give the workspace a new name in the configuration: that is a new baseline';
  return new ServiceAnswerError(request, { path, expected, found: `${id} without it. ${remedy}` });
}
