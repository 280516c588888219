import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** The shares of a profile's time in which something ran; largest first. */
export interface Profile {
  /** In functions of the room itself. */
  readonly self: readonly Share[];
  /** In functions of the room, and in all that they call. */
  readonly inclusive: readonly Share[];
  /** By function. */
  readonly functions: readonly Share[];
}

export interface Share {
  readonly where: string;
  readonly share: number;
}

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: number[] | undefined;
}

interface Recorded {
  readonly nodes: readonly Node[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
}

/** Runs `work` under V8's profiler, which sees the main thread only. */
export async function profiled<Result extends object>(
  work: () => Promise<Result>,
): Promise<Result & { profile: Profile }> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { ...result, profile: sharesOf(profile) };
}

const IDLE = new Set(['(idle)', '(root)']);

/** Adds up the samples by room and by function. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Recorded): Profile {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)),
  );
  const [self, inclusive, functions] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id) as Node;
    const time = timeDeltas[index] ?? 0;
    if (IDLE.has(node.callFrame.functionName)) continue;
    const stack: Node[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at))
      stack.push(byId.get(at) as Node);
    if (stack.some(({ callFrame }) => callFrame.url === 'node:inspector')) continue;
    total += time;
    // Native code has no file: its time counts for its caller.
    const caller = stack.find(({ callFrame }) => callFrame.url !== '') ?? node;
    const isOfEngine = node.callFrame.functionName.startsWith('(');
    const at = isOfEngine ? node : caller;
    add(self, roomOf(at), time);
    add(functions, `${[...new Set([node, at])].map(nameOf).join(' of ')} ${placeOf(at)}`, time);
    for (const room of new Set(stack.filter(({ callFrame }) => callFrame.url !== '').map(roomOf)))
      add(inclusive, room, time);
  }
  return {
    self: shares(self, total),
    inclusive: shares(inclusive, total),
    functions: shares(functions, total),
  };
}

function add(to: Map<string, number>, where: string, time: number): void {
  to.set(where, (to.get(where) ?? 0) + time);
}

function shares(times: ReadonlyMap<string, number>, total: number): Share[] {
  return [...times]
    .map(([where, time]) => ({ where, share: time / Math.max(1, total) }))
    .sort((one, other) => other.share - one.share);
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function pathOf(url: string): string {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
}

/** The room of a function: a folder of `functions/`, a package, Node's own code, or the engine. */
export function roomOf({ callFrame: { url, functionName } }: Pick<Node, 'callFrame'>): string {
  const path = pathOf(url);
  const modules = path.lastIndexOf('node_modules/');
  if (modules >= 0) {
    const [scope = '', name = ''] = path.slice(modules + 'node_modules/'.length).split('/');
    return scope.startsWith('@') ? `${scope}/${name}` : scope;
  }
  if (path.startsWith('functions/')) return path.split('/').slice(0, -1).join('/');
  if (path.startsWith('bench/')) return 'bench';
  if (path.startsWith('node:')) return 'node';
  return functionName.startsWith('(') ? functionName : 'engine';
}

const nameOf = ({ callFrame }: Node) => callFrame.functionName || '(anonymous)';

function placeOf({ callFrame: { url, lineNumber } }: Node): string {
  return url === '' ? '' : `${pathOf(url)}:${lineNumber + 1}`;
}
