import { useEffect } from 'preact/hooks';
import { awaitToken } from '../state/token.ts';

/** Shown to people who opened the page without the address that `npx changewire console` prints, or with that
 *  of an earlier run. */
export function NotAllowedPanel({ hasToken }: { readonly hasToken: boolean }) {
  // The address stays, so that a link in a new tab and a bookmark lead to their page.
  useEffect(() => awaitToken(() => location.reload()), []);
  return (
    <main class="alone">
      <h1>{hasToken ? 'This address is of another run' : 'The address has no token'}</h1>
      <p>
        {hasToken
          ? 'Only who has the token can use the console, so that nobody else on this machine can. The one that this tab has is not that of who answers here now.'
          : 'Only who has the token of the run may use the console. It stands at the end of the address that the run prints.'}
      </p>
      <p>
        Ask for the address of now, and open it here, or in another tab of this browser: this page then goes
        on by itself.
      </p>
      <pre>
        <code>npx changewire console</code>
      </pre>
      <p class="quiet">
        <code>npx changewire start</code> prints it too, when it starts.
      </p>
    </main>
  );
}
