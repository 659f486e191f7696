import { Fragment } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { isMac } from './hotkeys.ts';

const mod = isMac ? '⌘' : 'Ctrl';
const alt = isMac ? '⌥' : 'Alt';

const groups: readonly {
  title: string;
  keys: readonly (readonly [keys: readonly string[], does: string])[];
}[] = [
  {
    title: 'Everywhere',
    keys: [
      [['?'], 'Show these shortcuts'],
      [['Esc'], 'Close a dialog or panel, cancel a reply or an edit'],
      [[mod, 'K'], 'Find a channel'],
      [[alt, '↑'], 'Previous channel'],
      [[alt, '↓'], 'Next channel'],
    ],
  },
  {
    title: 'Writing',
    keys: [
      [['Enter'], 'Send'],
      [['Shift', 'Enter'], 'New line'],
      [['↑'], 'In an empty box: edit your last message'],
      [['@'], 'Mention someone'],
    ],
  },
  {
    title: 'On a message',
    keys: [
      [['↑', '↓'], 'Move between messages'],
      [['+'], 'React'],
      [['R'], 'Reply'],
      [['T'], 'Open the thread'],
      [['E'], 'Edit (your own)'],
      [['Del'], 'Delete (your own)'],
      [['L'], 'Copy the link'],
    ],
  },
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map(([keys, does]) => (
                <Fragment key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
