import { useEffect, useState } from 'preact/hooks';
import { pastedToken } from '../model/routes.ts';
import { awaitToken, keepToken } from '../state/token.ts';
import { TextField } from './text-field.tsx';

/** Shown without a token, or with one that the server does not know. */
export function NotAllowedPanel({ hasToken }: { readonly hasToken: boolean }) {
  // The address stays, so that a link in a new tab or a bookmark leads to its page.
  useEffect(() => awaitToken(() => location.reload()), []);
  return (
    <main class="alone">
      <h1>{hasToken ? 'This link belongs to an earlier run' : 'Token missing'}</h1>
      <p>
        {hasToken
          ? 'The token of this browser is not valid for the current run.'
          : 'The console requires a token, which is at the end of its link.'}{' '}
        This command prints the link, and with <code>--read-only</code> a link for a team:
      </p>
      <pre>
        <code>npx changewire console</code>
      </pre>
      <p>Open the link in this browser, and this page continues by itself. Or paste it here:</p>
      <PasteForm />
    </main>
  );
}

function PasteForm() {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const open = (event: Event) => {
    event.preventDefault();
    const token = pastedToken(text);
    if (token === undefined) return setError('Paste the whole link, up to the end of its token.');
    keepToken(token);
    location.reload();
  };
  return (
    <form class="paste" onSubmit={open}>
      <TextField
        label="Link or token"
        error={error}
        autocomplete="off"
        value={text}
        onChange={value => {
          setText(value);
          setError(undefined);
        }}
      />
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  );
}
