import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { lineText } from '../model/line-text.ts';
import { pastOf } from '../model/preview.ts';
import { useAsked, useWorld } from '../state/use.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Json } from './json.tsx';
import { Failed, Loading } from './states.tsx';

const EVENTS = 50;

/** Shows what an endpoint gets for one of the last events, without sending it. */
export function PreviewButton({ endpoint }: { readonly endpoint: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Preview…
      </button>
      {isOpen && <PreviewDialog endpoint={endpoint} onClose={() => setOpen(false)} />}
    </>
  );
}

interface RequestProps {
  readonly endpoint: string;
  readonly eventId: string;
}

/** Shows the request of an attempt. Requests are not stored: it is made again from the event. */
export function RequestButton({ endpoint, eventId }: RequestProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Show…
      </button>
      {isOpen && <RequestDialog endpoint={endpoint} eventId={eventId} onClose={() => setOpen(false)} />}
    </>
  );
}

function RequestDialog({ endpoint, eventId, onClose }: RequestProps & { readonly onClose: () => void }) {
  const { session } = useWorld();
  const { answer, error, again } = useAsked(eventId, signal =>
    session.ask({ operation: 'preview', endpoint, eventId }, signal),
  );
  return (
    <Dialog title={`Request to ${endpoint}`} onClose={onClose} isWide>
      <p class="quiet">
        Made again from the event, with the present settings of the endpoint. Secret values are not shown.
      </p>
      {error !== undefined && <Failed error={error} again={again} />}
      {!answer && error === undefined && <Loading what="The request" rows={4} />}
      {answer && <Shown preview={answer} />}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function PreviewDialog({ endpoint, onClose }: { readonly endpoint: string; readonly onClose: () => void }) {
  const { session } = useWorld();
  const [eventId, setEventId] = useState('');
  const events = useAsked('events', signal => session.ask({ operation: 'events', limit: EVENTS }, signal));
  const preview = useAsked(`${endpoint} ${eventId}`, signal =>
    session.ask({ operation: 'preview', endpoint, ...(eventId !== '' && { eventId }) }, signal),
  );
  return (
    <Dialog title={`Preview for ${endpoint}`} onClose={onClose} isWide>
      <Field label="Event" hint="Nothing is sent.">
        {(id, hintId) => (
          <select
            id={id}
            aria-describedby={hintId}
            value={eventId}
            onChange={event => setEventId(event.currentTarget.value)}
          >
            <option value="">The last one that the filter selects</option>
            {events.answer?.events.map(committed => (
              <option key={committed.event.id} value={committed.event.id}>
                {lineText(pastOf(committed).line)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {preview.error !== undefined && <Failed error={preview.error} again={preview.again} />}
      {!preview.answer && preview.error === undefined && <Loading what="The preview" rows={4} />}
      {preview.answer && <Shown preview={preview.answer} />}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Shown({ preview }: { readonly preview: AnswerOf<'preview'> }) {
  const { isSample, event, leftOut, text, notification, headers, body } = preview;
  return (
    <>
      <p class="quiet">
        {isSample ? 'A test event: the filter selects none of the latest events.' : <bdi>{event.id}</bdi>}
      </p>
      {leftOut !== undefined && (
        <p class="note warn">
          Not sent: <bdi>{leftOut}</bdi>.
        </p>
      )}
      {notification !== undefined && (
        <p>
          <span class="quiet">Notification: </span>
          <bdi>{notification}</bdi>
        </p>
      )}
      {text !== undefined && <pre class="answer whole">{text}</pre>}
      {headers && <Json value={headers} label="Headers" />}
      <Json value={body} label="Body" />
    </>
  );
}
