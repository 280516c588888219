import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { settingsToPaste } from '../../functions/doctor/settings.ts';
import type { DoctorAnswer, Finding } from '../../functions/operations/protocol/answers.ts';
import { counted } from '../model/counted.ts';
import { addressOf } from '../model/routes.ts';
import type { Tone } from '../model/status-words.ts';
import { CopyButton } from '../parts/copy.tsx';
import { ProcessSelect } from '../parts/process-select.tsx';
import { Badge, Empty, Failed, Loading } from '../parts/states.tsx';
import { Ago, For } from '../parts/times.tsx';
import { messageOf } from '../state/api.ts';
import { createStore, useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

interface Examination {
  readonly answer?: DoctorAnswer;
  readonly error?: string;
  /** The start time, while it runs. */
  readonly since?: string;
}

/** Outside the page, because a run of the doctor takes minutes, during which the user may open other pages. */
const examinations = createStore<ReadonlyMap<string, Examination>>(new Map());

function keep(key: string, examination: Examination): void {
  examinations.set(new Map([...examinations.get(), [key, examination]]));
}

/** Probes the service, and shows the findings and the suggested settings. */
export function DoctorPage({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const { session, status } = useWorld();
  const processes = useStore(status).status?.processes.filter(({ state }) => state !== 'removed');
  const chosen =
    processes?.find(one => one.workspace === query.workspace && one.process === query.process) ??
    processes?.[0];
  const key = `${chosen?.workspace}/${chosen?.process}`;
  const examination = useStore(examinations).get(key);
  const examine = async () => {
    if (!chosen || examination?.since) return;
    const { workspace, process } = chosen;
    keep(key, { since: new Date().toISOString() });
    try {
      keep(key, { answer: await session.ask({ operation: 'doctor', workspace, process }) });
    } catch (error) {
      keep(key, { error: messageOf(error) });
    }
  };
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>Doctor</h1>
        {processes && chosen && (
          <>
            <ProcessSelect
              processes={processes}
              chosen={chosen}
              onChoose={({ workspace, process }) => {
                location.hash = addressOf('doctor', undefined, { workspace, process });
              }}
            />
            <button
              type="button"
              class="primary"
              aria-busy={examination?.since !== undefined}
              onClick={examine}
            >
              {examination?.answer ? 'Probe again' : 'Probe the service'}
            </button>
          </>
        )}
      </div>
      <p class="quiet intro">
        The doctor probes the service where its API documentation is not specific, and suggests settings.
        Read-only; may take a few minutes.
      </p>
      {!processes && <Loading what="The list of processes" />}
      {processes?.length === 0 && <Empty title="No processes yet." />}
      {examination?.since !== undefined && <UnderWay since={examination.since} />}
      {examination?.error !== undefined && <Failed error={examination.error} again={examine} />}
      {examination?.answer && <Findings answer={examination.answer} />}
    </div>
  );
}

function UnderWay({ since }: { readonly since: string }) {
  return (
    <div class="sheet padded" role="status">
      <p>
        Probing the service <For since={since} />. You can open other pages; the result is kept.
      </p>
      <Loading what="The result" rows={4} />
    </div>
  );
}

const VERDICTS: Record<Finding['verdict'], readonly [string, Tone, number]> = {
  warning: ['warning', 'warn', 0],
  setting: ['setting', 'info', 1],
  unknown: ['unknown', 'quiet', 2],
  fine: ['fine', 'good', 3],
};

function Findings({ answer }: { readonly answer: DoctorAnswer }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [only, setOnly] = useState('');
  // In a layout effect: later, it would take the focus from where the user has moved it by then.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const counts = Object.entries(VERDICTS).map(
    ([verdict, [word]]) =>
      [verdict, word, answer.findings.filter(one => one.verdict === verdict).length] as const,
  );
  const shown = answer.findings
    .filter(({ verdict }) => only === '' || verdict === only)
    .toSorted((one, other) => VERDICTS[one.verdict][2] - VERDICTS[other.verdict][2]);
  const folded = only === '' ? shown.filter(({ verdict }) => verdict === 'fine') : [];
  const open = shown.slice(0, shown.length - folded.length);
  return (
    <>
      <div class="page-head">
        <h2 ref={heading} tabIndex={-1}>
          {answer.findings.length} findings
        </h2>
        <span class="quiet">
          <Ago at={answer.at} />
        </span>
        <div class="chips end">
          {counts
            .filter(([, , count]) => count > 0)
            .map(([verdict, word, count]) => (
              <button
                key={verdict}
                type="button"
                class="small"
                aria-pressed={only === verdict}
                onClick={() => setOnly(only === verdict ? '' : verdict)}
              >
                {count} {word}
              </button>
            ))}
        </div>
      </div>
      {open.length > 0 && <FindingList findings={open} />}
      {folded.length > 0 && (
        <details class="sheet folded">
          <summary>
            <Badge tone="good">{counted(folded.length, 'finding')} fine</Badge>
          </summary>
          <FindingList findings={folded} />
        </details>
      )}
      <Settings answer={answer} />
    </>
  );
}

function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="sheet findings">
      {findings.map((finding, index) => (
        <FindingRow key={index} finding={finding} />
      ))}
    </ul>
  );
}

function FindingRow({ finding }: { readonly finding: Finding }) {
  const { topic, verdict, found, asked, came, remedy } = finding;
  const [word, tone] = VERDICTS[verdict];
  return (
    <li class="finding">
      <Badge tone={tone}>{word}</Badge>
      <div>
        <h3>
          <bdi>{topic}</bdi>
        </h3>
        <p>
          <bdi>{found}</bdi>
        </p>
        {remedy !== undefined && (
          <p class={tone}>
            → <bdi>{remedy}</bdi>
          </p>
        )}
        <details>
          <summary>Requests and responses</summary>
          <ul class="mono plain-list">
            {asked.map((request, index) => (
              <li key={index}>
                <bdi>{request}</bdi>
              </li>
            ))}
          </ul>
          <p class="quiet">
            <bdi>{came}</bdi>
          </p>
        </details>
      </div>
    </li>
  );
}

function Settings({ answer }: { readonly answer: DoctorAnswer }) {
  const text = settingsToPaste(answer);
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Suggested settings</h2>
      {text === undefined ? (
        <p class="quiet">None. The defaults are right.</p>
      ) : (
        <div class="json">
          <CopyButton class="small json-copy" text={() => text}>
            Copy
          </CopyButton>
          <p class="quiet">Add to this workspace in changewire.json:</p>
          <pre>
            <code>{text}</code>
          </pre>
        </div>
      )}
    </section>
  );
}
