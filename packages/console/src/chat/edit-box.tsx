import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { fitHeight } from './fit-height.ts';

interface EditBoxProps {
  readonly text: string;
  /** A message with files may have no text. */
  readonly hasFiles: boolean;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

export function EditBox({ text, hasFiles, onSave, onCancel }: EditBoxProps) {
  const [value, setValue] = useState(text);
  const area = useRef<HTMLTextAreaElement>(null);
  const ready = value.trim() !== '' || hasFiles;

  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
    fitHeight(element);
  }, []);

  function save(): void {
    if (!ready) return;
    if (value === text) onCancel();
    else onSave(value);
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') {
      event.preventDefault();
      onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      save();
    }
  }

  return (
    <div className="edit-box">
      <textarea
        ref={area}
        className="input"
        aria-label="Edit the message"
        rows={1}
        dir="auto"
        value={value}
        onChange={(event) => {
          setValue(event.target.value);
          fitHeight(event.target);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="edit-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" disabled={!ready} onClick={save}>
          Save
        </Button>
        <span className="edit-hint">Enter saves, Escape cancels</span>
      </div>
    </div>
  );
}
