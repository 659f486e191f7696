import type { LocalChannel, Person } from '../api/local.ts';
import { useTyping } from './live.tsx';

interface TypingLineProps {
  readonly channel: LocalChannel;
  readonly me: string | null;
}

/** Always there, so that its coming and going moves nothing. */
export function TypingLine({ channel, me }: TypingLineProps) {
  const people = useTyping(channel.id).filter(({ id }) => id !== me);
  return (
    <p className="typing-line" role="status">
      {people.length > 0 && (
        <>
          <span className="typing-dots" aria-hidden="true">
            <span />
            <span />
            <span />
          </span>
          {typingText(people.map((person) => nameOf(person, channel)))}
        </>
      )}
    </p>
  );
}

/** The event may carry an id only. */
function nameOf({ id, name }: Person, channel: LocalChannel): string {
  return channel.members.find((member) => member.id === id)?.name ?? name;
}

function typingText(names: readonly string[]): string {
  if (names.length > 2) return 'Several people are typing…';
  return names.length === 2 ? `${names[0]} and ${names[1]} are typing…` : `${names[0]} is typing…`;
}
