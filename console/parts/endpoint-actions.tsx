import { useRef, useState } from 'preact/hooks';
import { KINDS } from '../../functions/model/kinds.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { addressOf } from '../model/routes.ts';
import { countText, isNone, resumeWord } from '../model/status-words.ts';
import { useWorld } from '../state/use.ts';
import { Action, failureText } from './action.tsx';
import { type Attempt, AttemptResult } from './attempt.tsx';
import { ConfirmButton } from './confirm.tsx';
import { PreviewButton } from './endpoint-preview.tsx';
import { ReplayButton } from './replay.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { SnapshotButton } from './snapshot.tsx';
import { toast } from './toasts.tsx';

interface Props {
  readonly status: AnswerOf<'endpoint'>;
  readonly again: () => void;
}

/** The buttons for an endpoint. */
export function EndpointActions({ status, again }: Props) {
  const { name, kind, state, isConfigured, isRotating } = status;
  const resume = resumeWord(state);
  if (useWorld().session.isReadOnly)
    return (
      <div class="actions">
        <PreviewButton endpoint={name} />
      </div>
    );
  return (
    <div class="actions">
      <TestButton name={name} />
      <PreviewButton endpoint={name} />
      <PauseButton name={name} isClosed={resume === 'Resume'} again={again} />
      {resume === 'Send now' && <SendNowButton name={name} again={again} />}
      <ReplayButton endpoint={name} again={again} />
      {KINDS[kind].queue !== 'chat' && <SnapshotButton endpoint={name} again={again} />}
      {KINDS[kind].isSigned && !isConfigured && (
        <Rotation name={name} isRotating={isRotating === true} again={again} />
      )}
      {!isConfigured && <RemoveButton name={name} />}
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
      ? `Resumed ${name}. Its backlog is sent first.`
      : `Paused ${name}. New events are queued until you resume it, each for at most 30 days.`;
  };
  return <Action act={act}>{isClosed ? 'Resume' : 'Pause'}</Action>;
}

/** For an endpoint that waits for its next attempt. */
function SendNowButton({ name, again }: { readonly name: string; readonly again: () => void }) {
  const { session } = useWorld();
  const act = async () => {
    await session.ask({ operation: 'resume-endpoint', endpoint: name });
    again();
    return `Sending the backlog of ${name}.`;
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
        Send test event
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
        title={`New signing secret for ${name}`}
        label="Rotate the secret"
        preview={async () =>
          'A new secret is generated, and shown once. Requests are signed with both secrets until you finish the rotation, so that the receiver can switch at any time.'
        }
        act={async () => {
          const answer = await session.ask({ operation: 'rotate-secret', endpoint: name });
          made.current = answer.secret;
          again();
          return `New signing secret for ${name}.`;
        }}
        // After this dialog has closed, so that the next one returns the focus to the button.
        onDone={() => setSecret(made.current)}
      />
      {isRotating && (
        <ConfirmButton
          title={`Finish the rotation of ${name}`}
          label="Finish the rotation"
          preview={async () =>
            'Only the new secret will be used. A receiver that only has the old secret will reject requests.'
          }
          act={async () => {
            await session.ask({ operation: 'finish-rotation', endpoint: name });
            return `Only the new secret is used for ${name} now.`;
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

function RemoveButton({ name }: { readonly name: string }) {
  const { session } = useWorld();
  return (
    <ConfirmButton
      class="bad"
      tone="bad"
      title={`Remove ${name}`}
      label="Remove the endpoint"
      preview={async () => {
        const { waiting, dead } = await session.ask({
          operation: 'remove-endpoint',
          endpoint: name,
          dryRun: true,
        });
        const lost =
          isNone(waiting) && isNone(dead)
            ? 'Its queue is empty.'
            : `So is its queue: ${countText(waiting)} waiting, ${countText(dead)} dead letters.`;
        return `Delivery to ${name} stops. Its address and secret are deleted. ${lost}`;
      }}
      act={async () => {
        await session.ask({ operation: 'remove-endpoint', endpoint: name });
        return `Removed ${name}.`;
      }}
      onDone={() => {
        location.hash = addressOf('endpoints');
      }}
    />
  );
}
