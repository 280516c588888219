import { useMemo } from 'preact/hooks';
import { jsonTokens, prettyJson } from '../model/json-view.ts';
import { CopyButton } from './copy.tsx';

/** Coloured JSON with a button to copy it. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = useMemo(() => prettyJson(value), [value]);
  const tokens = useMemo(() => jsonTokens(text), [text]);
  return (
    <section class="json" aria-label={label}>
      <CopyButton text={() => text} class="small json-copy">
        Copy
      </CopyButton>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach content that scrolls */}
      <pre tabIndex={0}>
        <code>
          {tokens.map(({ kind, text: part }, index) =>
            kind === 'rest' ? (
              part
            ) : (
              <span key={index} class={`json-${kind}`}>
                {part}
              </span>
            ),
          )}
        </code>
      </pre>
    </section>
  );
}
