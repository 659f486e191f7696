import { type ReactNode, useId, useState } from 'react';
import { moveByArrows } from './roving.ts';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
}

/** Tabs after the ARIA pattern: one stop for Tab, arrows to change, the choice follows the focus. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const base = useId();
  const [chosen, setChosen] = useState(tabs[0]?.id);
  const open = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  if (open === undefined) return null;
  return (
    <div className="tabs">
      <div
        className="tab-list"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => moveByArrows(event, 'horizontal')}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            data-roving
            id={`${base}-${tab.id}`}
            className="tab"
            aria-selected={tab.id === open.id}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === open.id ? 0 : -1}
            onClick={() => setChosen(tab.id)}
            onFocus={() => setChosen(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${open.id}`}>
        {open.content}
      </div>
    </div>
  );
}
