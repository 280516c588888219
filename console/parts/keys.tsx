import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['/'], 'Search, on Now and History'],
  [['?'], 'These keys'],
  [['↑', '↓', 'k', 'j'], 'One row up or down, in a list of changes'],
  [['Page Up', 'Page Down'], 'One screen up or down'],
  [['Home', 'End'], 'First or last row'],
  [['Enter'], 'Open'],
  [['Esc'], 'Close a dialog'],
];

/** The keys of all pages, and a button that lists them. */
export function Keys() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '?') setOpen(true);
      const search = event.key === '/' ? searchField() : null;
      search?.focus();
      search?.select();
      if (event.key === '?' || search) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button type="button" class="plain keys" aria-label="Keys" title="Keys" onClick={() => setOpen(true)}>
        ?
      </button>
      {isOpen && (
        <Dialog title="Keys" onClose={() => setOpen(false)}>
          <dl class="key-list">
            {KEYS.map(([keys, what]) => (
              <div key={what}>
                <dt>
                  {keys.map(key => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <div class="dialog-foot">
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The search of the page's list, else its first search field. */
function searchField(): HTMLInputElement | null {
  return (
    document.querySelector<HTMLInputElement>('main search input') ??
    document.querySelector<HTMLInputElement>('main input[type=search]')
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea, [contenteditable]');
}
