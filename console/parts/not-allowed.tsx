import { useEffect } from 'preact/hooks';
import { awaitToken } from '../state/token.ts';

/** Shown without a token, or with the token of an earlier run. */
export function NotAllowedPanel({ hasToken }: { readonly hasToken: boolean }) {
  // The address stays, so that a link in a new tab or a bookmark leads to its page.
  useEffect(() => awaitToken(() => location.reload()), []);
  return (
    <main class="alone">
      <h1>{hasToken ? 'This link belongs to an earlier run' : 'Token missing'}</h1>
      <p>
        {hasToken
          ? 'The token of this tab is not valid for the current run. A token protects the console from other users of this machine.'
          : 'The console requires the token of the run, which is at the end of the link that the run prints.'}
      </p>
      <p>
        Get the current link with this command, and open it in this browser. This page then continues by
        itself.
      </p>
      <pre>
        <code>npx changewire console</code>
      </pre>
      <p class="quiet">
        <code>npx changewire start</code> also prints it.
      </p>
    </main>
  );
}
