import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import {
  chosenTone,
  type Emoji,
  emojiNamed,
  nameWithTone,
  pickerGroups,
  recentNames,
  rememberEmoji,
  searchEmoji,
  skinTones,
  spokenName,
  withTone,
} from '../lib/emoji.ts';
import { useStored } from '../lib/storage.ts';
import { Popover } from '../ui/popover.tsx';

interface EmojiPickerProps {
  readonly anchor: HTMLElement;
  readonly onPick: (name: string, glyph: string) => void;
  readonly onClose: () => void;
}

const COLUMNS = 8;
const CELL = '[data-emoji]';
const toneNames = ['no skin tone', 'light', 'medium light', 'medium', 'medium dark', 'dark'];

/** A search box over a grid. Down leaves the box; in the grid all four arrows move. */
export function EmojiPicker({ anchor, onPick, onClose }: EmojiPickerProps) {
  const [query, setQuery] = useState('');
  const tone = useStored(chosenTone);
  const recent = useStored(recentNames);
  const grid = useRef<HTMLDivElement>(null);

  const groups = useMemo(() => {
    if (query.trim() !== '') return [{ label: 'Found', emoji: searchEmoji(query) }];
    const known = recent.map(emojiNamed).filter((emoji) => emoji !== undefined);
    return known.length === 0 ? pickerGroups : [{ label: 'Recent', emoji: known }, ...pickerGroups];
  }, [query, recent]);

  function pick(emoji: Emoji): void {
    rememberEmoji(emoji.name);
    onPick(nameWithTone(emoji, tone), withTone(emoji, tone));
    onClose();
  }

  function cells(): HTMLElement[] {
    return [...(grid.current?.querySelectorAll<HTMLElement>(CELL) ?? [])];
  }

  function onSearchKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      cells()[0]?.focus();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const best = groups[0]?.emoji[0];
      if (query.trim() !== '' && best !== undefined) pick(best);
    }
  }

  function onGridKey(event: KeyboardEvent): void {
    const all = cells();
    const index = all.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -COLUMNS,
      ArrowDown: COLUMNS,
    };
    const step = steps[event.key];
    if (step === undefined || index === -1) return;
    event.preventDefault();
    if (index + step < 0) document.getElementById('emoji-search')?.focus();
    else all[Math.min(index + step, all.length - 1)]?.focus();
  }

  return (
    <Popover anchor={anchor} label="Choose an emoji" onClose={onClose}>
      <div className="picker">
        <div className="picker-head">
          <input
            id="emoji-search"
            className="input"
            type="search"
            placeholder="Search emoji"
            aria-label="Search emoji"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the panel was opened to type or choose in
            autoFocus
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={onSearchKey}
          />
          <fieldset className="tones">
            <legend className="visually-hidden">Skin tone</legend>
            {skinTones.map((option) => (
              <label key={option} className={`tone tone-${option}`} title={toneNames[option - 1]}>
                <input
                  type="radio"
                  name="skin-tone"
                  aria-label={toneNames[option - 1]}
                  checked={option === tone}
                  onChange={() => chosenTone.write(option)}
                />
              </label>
            ))}
          </fieldset>
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move between the buttons inside */}
        <div ref={grid} className="picker-grid" onKeyDown={onGridKey}>
          {groups.map((group, place) => (
            <section key={group.label} aria-label={group.label}>
              <h3>{group.label}</h3>
              <div className="picker-cells">
                {group.emoji.map((emoji, index) => (
                  <button
                    key={emoji.name}
                    type="button"
                    data-emoji={emoji.name}
                    tabIndex={place === 0 && index === 0 ? 0 : -1}
                    aria-label={spokenName(emoji.name)}
                    title={`:${emoji.name}:`}
                    onClick={() => pick(emoji)}
                  >
                    {withTone(emoji, tone)}
                  </button>
                ))}
              </div>
            </section>
          ))}
          {groups[0]?.emoji.length === 0 && <p className="picker-none">No emoji of that name.</p>}
        </div>
      </div>
    </Popover>
  );
}
