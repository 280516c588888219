import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { addressOf } from '../model/routes.ts';
import { countText, ENDPOINT_TONES, isNone, troubleOf } from '../model/status-words.ts';
import { BacklogLine } from '../parts/backlog-line.tsx';
import { Badge, Empty, Loading } from '../parts/states.tsx';
import { Ago, Due, For } from '../parts/times.tsx';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

/** All endpoints, with their state and backlog. */
export function EndpointsPage() {
  const { session, status: store } = useWorld();
  const { status, backlogs } = useStore(store);
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>Endpoints</h1>
        {!session.isReadOnly && (
          <a class="button primary" href={addressOf('endpoints', 'new', { new: '1' })}>
            Add an endpoint
          </a>
        )}
      </div>
      {!status && <Loading what="The list of endpoints" rows={6} />}
      {status?.endpoints.length === 0 && (
        <Empty title="No endpoints yet.">
          <p>An endpoint is a webhook or a chat that receives the changes that match its filter.</p>
        </Empty>
      )}
      {status && status.endpoints.length > 0 && (
        <div class="table-box">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">Endpoint</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Waiting
                </th>
                <th scope="col">Backlog</th>
                <th scope="col" class="number">
                  Dead letters
                </th>
                <th scope="col">Next attempt</th>
              </tr>
            </thead>
            <tbody>
              {status.endpoints.map(one => (
                <EndpointRow key={one.name} status={one} backlog={backlogs.get(one.name) ?? []} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function EndpointRow({
  status,
  backlog,
}: {
  readonly status: EndpointStatus;
  readonly backlog: Parameters<typeof BacklogLine>[0]['backlog'];
}) {
  const { name, kind, origin, state, since, waiting, oldestWaiting, dead, nextTryAt, isConfigured } = status;
  const trouble = troubleOf(status);
  return (
    <tr>
      <th scope="row">
        <a href={addressOf('endpoints', name)}>
          <bdi>{name}</bdi>
        </a>{' '}
        <span class="kind">{kind}</span>
        {isConfigured && (
          <>
            {' '}
            <span class="kind">configured</span>
          </>
        )}
        {origin !== undefined && (
          <div class="quiet">
            <bdi>{origin}</bdi>
          </div>
        )}
        {trouble !== undefined && (
          <p class="row-trouble clamp" title={trouble}>
            <bdi>{trouble}</bdi>
          </p>
        )}
      </th>
      <td data-title="State">
        <Badge tone={ENDPOINT_TONES[state]}>{state}</Badge>{' '}
        {since !== undefined && (
          <span class="quiet">
            <For since={since} />
          </span>
        )}
      </td>
      <td class="number" data-title="Waiting">
        {countText(waiting)}
        {oldestWaiting !== undefined && !isNone(waiting) && (
          <div class="quiet">
            oldest <Ago at={oldestWaiting} />
          </div>
        )}
      </td>
      <td data-title="Backlog">
        <BacklogLine backlog={backlog} width={120} height={22} />
      </td>
      <td class={`number ${isNone(dead) ? '' : 'bad-text'}`} data-title="Dead letters">
        {countText(dead)}
      </td>
      <td data-title="Next attempt">
        {nextTryAt === undefined ? <span class="quiet">–</span> : <Due at={nextTryAt} />}
      </td>
    </tr>
  );
}
