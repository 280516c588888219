import type { ComponentChildren } from 'preact';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { filterText } from '../model/filter-form.ts';
import { addressOf } from '../model/routes.ts';
import { countText, ENDPOINT_TONES, isNone, troubleOf } from '../model/status-words.ts';
import { BacklogLine } from '../parts/backlog-line.tsx';
import { DeliveryCharts } from '../parts/delivery-charts.tsx';
import { EditEndpoint } from '../parts/edit-endpoint.tsx';
import { EndpointActions } from '../parts/endpoint-actions.tsx';
import { ActionLog, Attempts, DeadLetters } from '../parts/endpoint-lists.tsx';
import { ReplayProgress } from '../parts/replay.tsx';
import { SnapshotProgress } from '../parts/snapshot.tsx';
import { Badge, Failed, Loading } from '../parts/states.tsx';
import { Ago, Due, For } from '../parts/times.tsx';
import { useStore } from '../state/store.ts';
import { useAsked, useWorld } from '../state/use.ts';

const EVERY_MS = 3_000;

interface Props {
  readonly name: string;
  /** Whether the list of attempts shows only failed ones. */
  readonly failed: boolean;
}

/** An endpoint: its state, its settings, and its delivery attempts. */
export function EndpointPage({ name, failed }: Props) {
  const { session } = useWorld();
  const asked = useAsked(
    name,
    signal => session.ask({ operation: 'endpoint', endpoint: name }, signal),
    EVERY_MS,
  );
  const { answer, error, again } = asked;
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>
          <a class="crumb" href={addressOf('endpoints')}>
            Endpoints
          </a>
          <span class="step"> › </span>
          <bdi>{name}</bdi>
        </h1>
        {answer && (
          <>
            <span class="kind">{answer.kind}</span>
            {answer.origin !== undefined && (
              <span class="quiet">
                <bdi>{answer.origin}</bdi>
              </span>
            )}
            <Badge tone={ENDPOINT_TONES[answer.state]}>{answer.state}</Badge>
            {answer.since !== undefined && (
              <span class="quiet">
                <For since={answer.since} />
              </span>
            )}
          </>
        )}
      </div>
      {error !== undefined && <Failed error={error} again={again} />}
      {!answer && error === undefined && <Loading what="The endpoint" rows={6} />}
      {answer && <Details status={answer} failed={failed} again={again} />}
    </div>
  );
}

interface DetailsProps {
  readonly status: AnswerOf<'endpoint'>;
  readonly failed: boolean;
  readonly again: () => void;
}

function Details({ status, failed, again }: DetailsProps) {
  const trouble = troubleOf(status);
  const { name, replay, snapshot, overrides, isConfigured } = status;
  return (
    <>
      <EndpointActions status={status} again={again} />
      {trouble !== undefined && (
        <p class="note bad">
          <bdi>{trouble}</bdi>
        </p>
      )}
      {overrides && isConfigured && (
        <p class="note warn">
          This configured endpoint replaces an endpoint with the same name that was added here.
        </p>
      )}
      {replay && <ReplayProgress endpoint={name} replay={replay} again={again} />}
      {snapshot && <SnapshotProgress endpoint={name} snapshot={snapshot} again={again} />}
      <Facts status={status} />
      <DeliveryCharts status={status} />
      <Settings status={status} again={again} />
      <Attempts key={failed} endpoint={name} failed={failed} />
      <DeadLetters endpoint={name} dead={status.dead} again={again} />
      <ActionLog endpoint={name} />
    </>
  );
}

function Facts({ status }: { readonly status: EndpointStatus }) {
  const { name, waiting, oldestWaiting, dead, nextTryAt, nextMessageAt } = status;
  const backlog = useStore(useWorld().status).backlogs.get(name) ?? [];
  return (
    <section class="sheet figures" aria-label="Backlog">
      <Figure name="Waiting" value={countText(waiting)}>
        {oldestWaiting !== undefined && !isNone(waiting) && (
          <>
            oldest <Ago at={oldestWaiting} />
          </>
        )}
      </Figure>
      <Figure name="Dead letters" value={countText(dead)} isBad={!isNone(dead)}>
        {!isNone(dead) && 'kept for 30 days'}
      </Figure>
      <Figure
        name={nextMessageAt === undefined ? 'Next attempt' : 'Next message'}
        value={nextTryAt === undefined ? '–' : <Due at={nextTryAt} />}
      />
      <div class="figure wide">
        <span class="quiet">Backlog since this page was opened</span>
        {backlog.length < 2 ? (
          <span class="bone" />
        ) : (
          <BacklogLine backlog={backlog} width={420} height={40} />
        )}
      </div>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly isBad?: boolean;
  readonly children?: ComponentChildren;
}

function Figure({ name, value, isBad = false, children }: FigureProps) {
  return (
    <div class="figure">
      <span class="quiet">{name}</span>
      <span class={`figure-value ${isBad ? 'bad-text' : ''}`}>{value}</span>
      <span class="quiet">{children}</span>
    </div>
  );
}

function Settings({ status, again }: { readonly status: AnswerOf<'endpoint'>; readonly again: () => void }) {
  const { filter, perSecond, keepSuccesses, record, isConfigured, headers } = status;
  const { isReadOnly } = useWorld().session;
  const lines = filterText(filter);
  return (
    <section aria-labelledby="settings">
      <div class="section-head">
        <h2 id="settings">Filter</h2>
        {!isConfigured && !isReadOnly && <EditEndpoint status={status} again={again} />}
      </div>
      <div class="sheet padded">
        {lines.length === 0 ? (
          <p>All events.</p>
        ) : (
          <dl class="filter-text">
            {lines.map(([key, text], index) => (
              <div key={index}>
                <dt>{key}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
        <p class="quiet">
          at most {perSecond} per second from the backlog · successful attempts are{' '}
          {keepSuccesses ? 'kept' : 'not kept'}
          {record === false && ' · without records'}
          {headers && ` · with the headers ${headers.join(', ')}`}
          {isConfigured && ' · defined in changewire.json or on the command line; edit it there, and restart'}
        </p>
      </div>
    </section>
  );
}
