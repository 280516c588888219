import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { ENDPOINT_TONES, PROCESS_TONES, type Tone } from './status-words.ts';

/** A part of the summary: `2 processes healthy`. */
export interface GlancePart {
  readonly text: string;
  readonly tone: Tone;
}

const TONES: readonly Tone[] = ['bad', 'warn', 'info', 'quiet', 'good'];

/** All processes and endpoints in one line, by state, the worst first. */
export function glanceOf({
  processes,
  endpoints,
}: Pick<AnswerOf<'status'>, 'processes' | 'endpoints'>): GlancePart[] {
  const parts = [
    ...processes.map(({ state }) => ({
      of: ['process', 'processes'] as const,
      word: state.replace('-', ' '),
      tone: PROCESS_TONES[state],
    })),
    ...endpoints.map(({ state }) => ({
      of: ['endpoint', 'endpoints'] as const,
      word: state,
      tone: ENDPOINT_TONES[state],
    })),
  ];
  return [...Map.groupBy(parts, ({ of, word }) => `${of[0]} ${word}`).values()]
    .map(same => {
      const [{ of, word, tone }] = same as [(typeof parts)[number]];
      return { text: `${same.length.toLocaleString('en')} ${of[same.length === 1 ? 0 : 1]} ${word}`, tone };
    })
    .toSorted((one, other) => TONES.indexOf(one.tone) - TONES.indexOf(other.tone));
}
