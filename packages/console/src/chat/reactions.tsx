import type { LocalMessage } from '../api/local.ts';
import { glyphOf, spokenName } from '../lib/emoji.ts';
import { counted } from '../lib/names.ts';
import { Icon } from '../ui/icons.tsx';
import type { MessageActions } from './message-actions.ts';

interface ReactionsProps {
  readonly message: LocalMessage;
  readonly actions: MessageActions;
}

export function Reactions({ message, actions }: ReactionsProps) {
  if (message.reactions.length === 0) return null;
  const me = actions.person?.id;
  return (
    <ul className="reactions" aria-label="Reactions">
      {message.reactions.map(({ emoji, user_ids: ids }) => {
        const mine = me !== undefined && ids.includes(me);
        const names = ids.map((id) => (id === me ? 'You' : actions.nameOf(id))).join(', ');
        return (
          <li key={emoji}>
            <button
              type="button"
              className="reaction"
              aria-pressed={mine}
              aria-label={`${spokenName(emoji)}, ${counted(ids.length, 'reaction')}: ${names}`}
              title={`${names} · ${spokenName(emoji)}`}
              disabled={me === undefined}
              onClick={() => actions.react(message, emoji)}
            >
              <span className="emoji">{glyphOf(emoji)}</span>
              <span>{ids.length}</span>
            </button>
          </li>
        );
      })}
      {me !== undefined && (
        <li>
          <button
            type="button"
            className="reaction reaction-add"
            aria-label="Add a reaction"
            title="Add a reaction"
            onClick={(event) => actions.pickEmoji(message, event.currentTarget)}
          >
            <Icon name="smilePlus" small />
          </button>
        </li>
      )}
    </ul>
  );
}
