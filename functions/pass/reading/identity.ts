import type { JsonObject } from '../../basics/json.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { ServiceAnswerError } from '../../service/errors.ts';
import { type Snapshots, TornSnapshotError } from '../../store/store.ts';

interface Parts {
  readonly process: ProcessKey;
  readonly snapshots: Pick<Snapshots, 'heads' | 'load'>;
}

/** Checks that records which seem new are not known ones under new identifiers. If the service renames the property that
 *  identifies records, each of them would otherwise be told as deleted, and again as created. */
export class Identity {
  readonly #parts: Parts;
  #properties: Promise<readonly string[]> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws ServiceAnswerError when a new project lacks the property that identifies the known ones */
  async checkProject(id: string, record: JsonObject): Promise<void> {
    this.#properties ??= this.#knownProperties();
    const properties = await this.#properties;
    if (isThere(record, properties)) return;
    throw changed(`GET /processes/${this.#parts.process.processId}/projects`, '$.projects', properties, id);
  }

  /** @throws ServiceAnswerError when none of a project's tasks is known, and all lack the property that identified the known ones */
  checkTasks(
    projectId: string,
    before: ReadonlyMap<string, JsonObject>,
    read: ReadonlyMap<string, JsonObject>,
  ): void {
    const [id] = read.keys();
    if (id === undefined || [...read.keys()].some(task => before.has(task))) return;
    const properties = propertiesOf(before);
    if ([...read.values()].some(task => isThere(task, properties))) return;
    const { processId } = this.#parts.process;
    throw changed(`GET /processes/${processId}/projects/${projectId}/tasks`, '$', properties, id);
  }

  /** The properties that may identify projects, taken from the first snapshot that can be read. */
  async #knownProperties(): Promise<readonly string[]> {
    const { snapshots, process } = this.#parts;
    for await (const heads of snapshots.heads(process)) {
      for (const { projectId } of heads) {
        const known = await snapshots.load(process, projectId).catch(ifTorn);
        if (known) return propertiesOf(new Map([[projectId, known.content.record]]));
      }
    }
    return [];
  }
}

/** Ignores a torn snapshot: it is a fault of its own project, which must not stop new projects. */
function ifTorn(error: unknown): undefined {
  if (!(error instanceof TornSnapshotError)) throw error;
}

/** All properties whose value is the identifier: besides the right one, some field may have the same value by chance. */
function propertiesOf(records: ReadonlyMap<string, JsonObject>): string[] {
  const [first] = records;
  if (!first) return [];
  const [id, record] = first;
  return Object.keys(record).filter(name => textOf(record, name) === id);
}

/** True when the record has one of the properties, or when none is known. */
function isThere(record: JsonObject, properties: readonly string[]): boolean {
  return properties.length === 0 || properties.some(property => textOf(record, property) !== '');
}

function textOf(record: JsonObject, property: string): string {
  const value = Object.hasOwn(record, property) ? record[property] : '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function changed(
  request: string,
  path: string,
  properties: readonly string[],
  id: string,
): ServiceAnswerError {
  const expected = `records with ${properties.join(' or ')}, which identified those known`;
  const remedy =
    'If the service renamed it for good, give the workspace a new name in the configuration: that is a new baseline';
  return new ServiceAnswerError(request, { path, expected, found: `${id} without it. ${remedy}` }, 'project');
}
