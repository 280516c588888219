/** One command of a proof. */
export interface Command {
  /** What it shows, for people. */
  readonly what: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** It takes all processors and waits for nothing, so it gets a low priority: what runs beside it waits for answers in time. */
  readonly isPatient?: boolean;
}

/** Something that takes too long for `npm test`: commands, of which as many are run as there is time for. */
export interface Proof {
  readonly name: string;
  readonly commands: Iterable<Command>;
  /** No further command begins after so many ms. */
  readonly within: number;
  /** A command that takes longer hangs, and fails the proof; in ms. */
  readonly atMost: number;
  /** It waits most of the time, and so runs beside the others; its output follows when it has ended. */
  readonly isBeside?: boolean;
  /** It begins when those beside the others have ended. */
  readonly isBehind?: boolean;
  /** The exit code by which a command says that it can't run here. */
  readonly unavailable?: number;
}

/** What became of a proof. `cut short`: all that was run passed, and then its time was up in the middle of a command. */
export interface Outcome {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'unavailable' | 'cut short' | 'no time left';
  /** Commands that passed. */
  readonly passed: number;
  readonly took: number;
  /** The output of the command that failed. */
  readonly output: string;
}

/** How a command ended: its exit code, or `time-out` when it was killed after its limit. */
export interface Ended {
  readonly result: number | 'time-out';
  readonly output: string;
}

/** Runs a command for `limit` ms at most. Its output is shown at once, or when it has ended. */
export type Execute = (command: Command, limit: number, output: 'at once' | 'at its end') => Promise<Ended>;

const END_LINES = 40;
/** Less than this, in ms, is not worth a beginning. */
const LEAST = 60_000;

/** Runs the proofs until `deadline`, those before a failure and those after it: one at a time, and those that wait most of the
 *  time beside them. */
export async function prove(
  proofs: readonly Proof[],
  how: {
    readonly deadline: number;
    readonly clock: () => number;
    readonly execute: Execute;
    readonly say: (line: string) => void;
  },
): Promise<Outcome[]> {
  const timed = async (proof: Proof): Promise<Outcome> => {
    const began = how.clock();
    const { outcome, passed, output = '' } = await proveOne(proof, how);
    const ended = { name: proof.name, outcome, passed, took: how.clock() - began, output };
    how.say(lineOf(ended));
    return ended;
  };
  const beside = Promise.all(proofs.filter(({ isBeside }) => isBeside).map(timed));
  const inTurn: Outcome[] = [];
  for (const proof of proofs.filter(({ isBeside }) => !isBeside)) {
    if (proof.isBehind) await beside;
    inTurn.push(await timed(proof));
  }
  return [...inTurn, ...(await beside)];
}

/** Where output is long, the end of it tells why it failed. */
export function endOf(output: string): string {
  return output.trimEnd().split('\n').slice(-END_LINES).join('\n');
}

/** The outcome for people: `simulation: passed, 4 commands in 120 s`. */
export function lineOf({ name, outcome, passed, took }: Outcome): string {
  return `${name}: ${outcome}, ${passed} command${passed === 1 ? '' : 's'} passed in ${Math.round(took / 1000)} s`;
}

async function proveOne(
  { commands, within, atMost, isBeside, unavailable }: Proof,
  { deadline, clock, execute, say }: Parameters<typeof prove>[1],
): Promise<Pick<Outcome, 'outcome' | 'passed'> & { output?: string }> {
  const end = clock() + within;
  let passed = 0;
  for (const command of commands) {
    const left = deadline - clock();
    if (left < LEAST) return { outcome: passed > 0 ? 'passed' : 'no time left', passed };
    if (passed > 0 && clock() >= end) break;
    say(`▶ ${command.what}`);
    const { result, output } = await execute(
      command,
      Math.min(left, atMost),
      isBeside ? 'at its end' : 'at once',
    );
    if (result === 'time-out') return { outcome: left < atMost ? 'cut short' : 'failed', passed, output };
    if (result === unavailable) return { outcome: 'unavailable', passed };
    if (result !== 0) return { outcome: 'failed', passed, output };
    passed += 1;
  }
  return { outcome: 'passed', passed };
}
