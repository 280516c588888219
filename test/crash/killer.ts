import type { Deadlines, Life } from './life.ts';
import { type Kill, type Phase, PROCESSES } from './plan.ts';
import type { Setup } from './setup.ts';

/** How long a kill may wait for its moment, by what the moment counts from; in ms. */
const SPAN = { 'first request': 3000, baseline: 200, SIGTERM: 400 } as const;
const FIRST_GUESS_AT_START_UP = 800;
/** How long a life may take to ask its first question, and to end; in ms. */
const BEGINS_WITHIN = 30_000;
export const ENDS_WITHIN = 15_000;
/** A listing of everything that is younger, in ms, and that no sweep's end followed, is a sweep's. */
const SWEEP_TAKES = 1000;
/** More of them say nothing new. */
const MAX_PROBLEMS = 5;

/** Starts lives, and kills them. */
export class Killer {
  /** What went wrong with the lives themselves. */
  readonly problems: string[] = [];
  readonly #setup: Setup;
  readonly #deadlines: Deadlines;
  /** What the last start took until its first request, in ms. */
  #startUp = FIRST_GUESS_AT_START_UP;

  constructor(setup: Setup, deadlines: Deadlines) {
    this.#setup = setup;
    this.#deadlines = deadlines;
  }

  /** Kills as planned, in a new life if none runs. @returns what was under way */
  async kill(planned: Kill): Promise<Phase> {
    this.#setup.raw.mood = planned.moods.raw;
    this.#setup.webhook.mood = planned.moods.webhook;
    for (let kill = planned; ; kill = { ...planned, since: 'first request' }) {
      const life = this.#running() ?? this.begin(planned.processes);
      await this.#moment(life, kill);
      const phase = this.#phaseOf(life);
      if (!life.isOver) {
        await life.kill();
        this.#setup.die(kill.victim);
        return phase;
      }
      await this.#judgeEnd(life);
      if (this.problems.length >= MAX_PROBLEMS) throw new Error(this.problems.join('\n'));
    }
  }

  /** Starts a life that watches so many processes. */
  begin(processes: number): Life {
    this.#deadlines.throwIfOver();
    const life = this.#setup.live(PROCESSES.slice(0, processes));
    void life.working().then(() => {
      if (life.workingAt !== undefined) this.#startUp = life.workingAt - life.startedAt;
    });
    return life;
  }

  #running(): Life | undefined {
    const { life } = this.#setup;
    return life?.isOver === false ? life : undefined;
  }

  /** Waits for the moment of the kill, or until the life is over. */
  async #moment(life: Life, { since, at }: Kill): Promise<void> {
    if (since === 'start') return this.#deadlines.pause(at * this.#startUp);
    const what = () => `A start does not ask the service anything (it said: ${life.said})`;
    await this.#deadlines.within(BEGINS_WITHIN, life.working(), what);
    if (since === 'baseline') return this.#inBaseline(life, at);
    await this.#deadlines.pause(at * SPAN['first request']);
    if (since !== 'SIGTERM' || life.isOver) return;
    life.stop();
    await this.#deadlines.pause(at * SPAN.SIGTERM);
  }

  async #inBaseline(life: Life, at: number): Promise<void> {
    const { watched } = this.#setup.side;
    const isMade = () => watched.every(({ baselined, joined }) => baselined || !joined);
    while (!life.isOver && !isMade() && !watched.some(({ inBaseline }) => inBaseline))
      await this.#deadlines.pause(2);
    await this.#deadlines.pause(at * SPAN.baseline);
  }

  #phaseOf(life: Life): Phase {
    const { watched } = this.#setup.side;
    if (life.stoppingAt !== undefined) return 'shutdown';
    if (life.workingAt === undefined) return 'start-up';
    if (watched.some(({ inBaseline }) => inBaseline)) return 'baseline';
    const since = (id: string) => Math.max(Date.now() - SWEEP_TAKES, this.#setup.sweptAt(id));
    return watched.some(({ id, listedAt }) => listedAt > since(id)) ? 'sweep' : 'changes';
  }

  /** A life that ended before it was killed: it may when it was asked to. */
  async #judgeEnd(life: Life): Promise<void> {
    const what = () => `A life does not end (it said: ${life.said})`;
    const code = await this.#deadlines.within(ENDS_WITHIN, life.ended(), what);
    if (life.stoppingAt !== undefined && code === 0) return;
    this.problems.push(`A life ended by itself, with exit code ${code}. It said: ${life.said}`);
  }
}
