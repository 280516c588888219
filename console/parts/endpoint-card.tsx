import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { addressOf } from '../model/routes.ts';
import { countText, ENDPOINT_TONES, isNone, troubleOf } from '../model/status-words.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { BacklogLine } from './backlog-line.tsx';
import { Badge } from './states.tsx';
import { Due } from './times.tsx';

/** An endpoint at a glance. */
export function EndpointCard({ status }: { readonly status: EndpointStatus }) {
  const { name, kind, state, waiting, dead, nextTryAt } = status;
  const backlog = useStore(useWorld().status).backlogs.get(name) ?? [];
  const trouble = troubleOf(status);
  return (
    <li class="card">
      <div class="card-head">
        <a class="card-name" href={addressOf('endpoints', name)}>
          <bdi>{name}</bdi>
        </a>
        <span class="kind card-kind">{kind}</span>
        <Badge tone={ENDPOINT_TONES[state]}>{state}</Badge>
      </div>
      <div class="card-facts">
        <span>
          <b>{countText(waiting)}</b> waiting
        </span>
        {!isNone(dead) && (
          <span class="bad-text">
            <b>{countText(dead)}</b> dead letters
          </span>
        )}
        {nextTryAt !== undefined && (
          <span>
            next attempt <Due at={nextTryAt} />
          </span>
        )}
        {!isNone(waiting) && <BacklogLine backlog={backlog} width={72} height={16} />}
      </div>
      {trouble !== undefined && (
        <p class="card-trouble clamp" title={trouble}>
          <bdi>{trouble}</bdi>
        </p>
      )}
    </li>
  );
}
