import type { Probed } from '../service/probe.ts';
import { type Examination, type Examined, failed, found } from './examination.ts';
import { readProjects } from './lists.ts';
import { span, timeText } from './words.ts';

const TOPIC = 'clock';

/** Whether answers have a `Date`, and how far it is from our clock. */
export const clock: Examination = {
  topic: TOPIC,
  async examine(asker) {
    const { answers, failure } = await readProjects(asker);
    const [first] = answers;
    if (!first) return { findings: failure ? [failed(TOPIC, failure)] : [] };
    return judgeClock(first);
  },
};

/** A `Date` header counts whole seconds, and the answer needed some time to arrive. */
const SAME_MS = 2_000;
/** A `Date` that differs more from our clock is not used. */
const PLAUSIBLE_MS = 24 * 60 * 60 * 1000;

export function judgeClock(answer: Probed): Examined {
  const { date, at } = answer;
  if (date === undefined || Math.abs(date - at) > PLAUSIBLE_MS) {
    const came =
      date === undefined ? 'no Date header' : `Date: ${timeText(date)}, at ${timeText(at)} by our clock`;
    const text =
      'Answers do not tell the service’s time. Update times are taken for it, and our own clock where there are none.';
    const finding = found(TOPIC, 'setting', text, { asked: [answer], came, remedy: OWN_CLOCK });
    return { findings: [finding], settings: { workspace: { dateHeader: false } } };
  }
  const ahead = date - at;
  const how =
    Math.abs(ahead) <= SAME_MS ? 'agrees with' : `is ${span(ahead)} ${ahead > 0 ? 'ahead of' : 'behind'}`;
  const came = `Date: ${timeText(date)}, at ${timeText(at)} by our clock`;
  const text = `The service’s clock ${how} ours. Changewire goes by the service’s.`;
  return { findings: [found(TOPIC, 'fine', text, { asked: [answer], came })] };
}

const OWN_CLOCK = 'Set dateHeader, as below, and keep the clock of the machine right (NTP). On AWS it is.';
