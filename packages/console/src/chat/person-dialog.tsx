import { type FormEvent, useState } from 'react';
import type { Person } from '../api/local.ts';
import { slugOf } from '../lib/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { AGENT_ID, chosenPerson } from './people.ts';

interface PersonDialogProps {
  readonly current: Person | null;
  readonly people: readonly Person[];
  readonly onClose: () => void;
}

const ID_PATTERN = /^[A-Za-z0-9_+][A-Za-z0-9._@+:-]{0,63}$/;

function idError(id: string): string | null {
  if (!ID_PATTERN.test(id)) return 'Use letters, digits and . _ @ + : - only, at most 64.';
  return id === AGENT_ID ? 'Agents speak as “postern”. Choose another id.' : null;
}

/** The person someone speaks as: one that is known, or a new one. */
export function PersonDialog({ current, people, onClose }: PersonDialogProps) {
  const [name, setName] = useState('');
  const [id, setId] = useState<string | null>(null);
  const [checked, setChecked] = useState(false);
  const shownId = id ?? slugOf(name);
  const nameError = checked && name.trim() === '' ? 'Give a name.' : null;
  const shownIdError = checked && nameError === null ? idError(shownId) : null;

  function choose(person: Person): void {
    chosenPerson.write(person);
    onClose();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (name.trim() !== '' && idError(shownId) === null) choose({ id: shownId, name: name.trim() });
  }

  return (
    <Dialog title="Who are you?" onClose={onClose}>
      <p className="dialog-text">
        The local chat has no accounts: you write under the name you choose. To agents you are the id, which
        never changes; allow it once, and they hear you.
      </p>
      {people.length > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: arrows move among the buttons inside
        <div className="person-list" onKeyDown={(event) => moveByArrows(event)}>
          {people.map((person) => (
            <button
              key={person.id}
              type="button"
              data-roving
              className="person-option"
              aria-pressed={person.id === current?.id}
              onClick={() => choose(person)}
            >
              <Avatar id={person.id} name={person.name} />
              <span className="person-words">
                <span className="person-name">{person.name}</span>
                <span className="person-id">@{person.id}</span>
              </span>
              {person.id === current?.id && <Icon name="check" />}
            </button>
          ))}
        </div>
      )}
      <form onSubmit={submit} className="form" noValidate>
        {people.length > 0 && <h3>Somebody new</h3>}
        <Field
          label="Name"
          value={name}
          maxLength={200}
          error={nameError}
          data-starts-here={people.length === 0 || undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label="Id"
          value={shownId}
          maxLength={64}
          error={shownIdError}
          spellCheck={false}
          autoCapitalize="none"
          hint="Made from the name; change it if you like."
          onChange={(event) => setId(event.target.value === '' ? null : event.target.value)}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Use this name
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
