import { useRef, useState } from 'preact/hooks';
import { KINDS } from '../../functions/model/kinds.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { addressOf } from '../model/routes.ts';
import { countText, isNone, resumeWord } from '../model/status-words.ts';
import { useWorld } from '../state/use.ts';
import { Action, failureText } from './action.tsx';
import { type Attempt, AttemptResult } from './attempt.tsx';
import { ConfirmButton } from './confirm.tsx';
import { ReplayButton } from './replay.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { toast } from './toasts.tsx';

interface Props {
  readonly status: AnswerOf<'endpoint'>;
  readonly again: () => void;
}

/** What can be done to an endpoint at once. */
export function EndpointActions({ status, again }: Props) {
  const { name, kind, state, isConfigured, isRotating } = status;
  const resume = resumeWord(state);
  return (
    <div class="actions">
      <TestButton name={name} />
      <PauseButton name={name} isClosed={resume === 'Resume'} again={again} />
      {resume === 'Send now' && <SendNowButton name={name} again={again} />}
      <ReplayButton endpoint={name} again={again} />
      {KINDS[kind].isSigned && !isConfigured && (
        <Rotation name={name} isRotating={isRotating === true} again={again} />
      )}
    </div>
  );
}

function PauseButton({
  name,
  isClosed,
  again,
}: {
  readonly name: string;
  readonly isClosed: boolean;
  readonly again: () => void;
}) {
  const { session } = useWorld();
  const act = async () => {
    await session.ask({ operation: isClosed ? 'resume-endpoint' : 'pause-endpoint', endpoint: name });
    again();
    return isClosed
      ? `${name} gets what waits for it, and what comes.`
      : `${name} is paused: what comes waits for it.`;
  };
  return <Action act={act}>{isClosed ? 'Resume' : 'Pause'}</Action>;
}

/** For an endpoint that waits before its next try. */
function SendNowButton({ name, again }: { readonly name: string; readonly again: () => void }) {
  const { session } = useWorld();
  const act = async () => {
    await session.ask({ operation: 'resume-endpoint', endpoint: name });
    again();
    return `The backlog of ${name} is sent now.`;
  };
  return <Action act={act}>Send now</Action>;
}

function TestButton({ name }: { readonly name: string }) {
  const { session } = useWorld();
  const [state, setState] = useState<{ isBusy: boolean; attempt?: Attempt }>({ isBusy: false });
  const test = async () => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      setState({ isBusy: false, attempt: await session.ask({ operation: 'test-endpoint', endpoint: name }) });
    } catch (error) {
      setState({ isBusy: false });
      toast(failureText(error), { isBad: true });
    }
  };
  return (
    <>
      <button type="button" class="primary" aria-busy={state.isBusy} onClick={test}>
        Send a test
      </button>
      <div class="test-result" role="status">
        {state.attempt && <AttemptResult attempt={state.attempt} />}
      </div>
    </>
  );
}

interface RotationProps {
  readonly name: string;
  readonly isRotating: boolean;
  readonly again: () => void;
}

function Rotation({ name, isRotating, again }: RotationProps) {
  const { session } = useWorld();
  const [secret, setSecret] = useState<string>();
  const made = useRef<string | undefined>(undefined);
  return (
    <>
      <ConfirmButton
        title={`A new signing secret for ${name}`}
        label="Rotate the secret"
        look={async () =>
          'A new secret is made, and shown once. Requests are signed with both, so the receiver may change at any time. Then finish the rotation.'
        }
        act={async () => {
          const answer = await session.ask({ operation: 'rotate-secret', endpoint: name });
          made.current = answer.secret;
          again();
          return `${name} has a new secret.`;
        }}
        // Not before this dialog is closed: the next one gives the focus back to what had it when it opened.
        onDone={() => setSecret(made.current)}
      />
      {isRotating && (
        <ConfirmButton
          title={`Finish the rotation of ${name}`}
          label="Finish the rotation"
          look={async () =>
            'From then on only the new secret signs: a receiver that knows only the old one refuses what comes.'
          }
          act={async () => {
            await session.ask({ operation: 'finish-rotation', endpoint: name });
            return `Only the new secret signs for ${name}.`;
          }}
          onDone={again}
        />
      )}
      {secret !== undefined && (
        <SecretDialog endpoint={name} secret={secret} isRotation onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}

export function RemoveEndpoint({ name }: { readonly name: string }) {
  const { session } = useWorld();
  return (
    <section class="remove">
      <ConfirmButton
        class="bad"
        tone="bad"
        title={`Remove ${name}`}
        label="Remove the endpoint"
        look={async () => {
          const { waiting, dead } = await session.ask({
            operation: 'remove-endpoint',
            endpoint: name,
            dryRun: true,
          });
          const lost =
            isNone(waiting) && isNone(dead)
              ? 'Nothing waits for it.'
              : `${countText(waiting)} waiting and ${countText(dead)} dead deliveries go with it.`;
          return `${name} gets nothing any more, and its address and secret are deleted. ${lost}`;
        }}
        act={async () => {
          await session.ask({ operation: 'remove-endpoint', endpoint: name });
          return `${name} is removed.`;
        }}
        onDone={() => {
          location.hash = addressOf('endpoints');
        }}
      />
    </section>
  );
}
