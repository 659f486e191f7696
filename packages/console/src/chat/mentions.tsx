import type { Person } from '../api/local.ts';
import { Avatar } from '../ui/avatar.tsx';
import { AGENT_ID, isAgent } from './people.ts';

/** The `@…` being typed: its letters, and where it stands in the text. */
export interface MentionQuery {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function mentionAt(text: string, caret: number): MentionQuery | null {
  const match = /(?:^|[\s(])@([\p{L}\p{N}._-]{0,40})$/u.exec(text.slice(0, caret));
  if (match === null) return null;
  const letters = match[1] ?? '';
  return { text: letters, from: caret - letters.length - 1, to: caret };
}

const MAX_SHOWN = 8;

export function matchingPeople(people: readonly Person[], text: string): readonly Person[] {
  const wanted = text.toLowerCase();
  const known = people.some(isAgent) ? people : [{ id: AGENT_ID, name: 'Postern' }, ...people];
  return known
    .filter(({ id, name }) => id.toLowerCase().startsWith(wanted) || name.toLowerCase().startsWith(wanted))
    .slice(0, MAX_SHOWN);
}

interface MentionListProps {
  readonly id: string;
  readonly people: readonly Person[];
  readonly choice: number;
  readonly onChoose: (person: Person) => void;
}

/** The focus stays in the text; the chosen line is told by `aria-activedescendant`. */
export function MentionList({ id, people, choice, onChoose }: MentionListProps) {
  if (people.length === 0) return null;
  return (
    <div id={id} className="mention-list" role="listbox" aria-label="People to mention">
      {people.map((person, index) => (
        <div
          key={person.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === choice}
          className="mention-option"
          // The press must not take the focus out of the text.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(person);
          }}
        >
          <Avatar id={person.id} name={person.name} agent={isAgent(person)} size="small" />
          <bdi>{person.name}</bdi>
          <span className="mention-id">@{person.id}</span>
        </div>
      ))}
    </div>
  );
}
