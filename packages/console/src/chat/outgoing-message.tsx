import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { PendingFiles } from './attachments.tsx';
import type { Outgoing } from './outbox.ts';

export interface OutgoingActions {
  readonly retry: (key: string) => void;
  /** Takes it out and puts its words back into the box. */
  readonly takeBack: (entry: Outgoing) => void;
  readonly drop: (key: string) => void;
}

/** A message that the server doesn't have yet. */
export function OutgoingMessage({ entry, actions }: { entry: Outgoing; actions: OutgoingActions }) {
  const failed = entry.state === 'failed';
  return (
    <div className={failed ? 'message message-failed' : 'message message-sending'}>
      <div className="message-gutter">
        <Avatar id={entry.user.id} name={entry.user.name} />
      </div>
      <div className="message-body">
        <p className="message-head">
          <bdi className="message-name">{entry.user.name}</bdi>
          {!failed && <span className="message-state">Sending…</span>}
        </p>
        {entry.text !== '' && <Markdown text={entry.text} />}
        <PendingFiles files={entry.files} />
        {entry.lostFiles.length > 0 && (
          <p className="message-state">Files to add again: {entry.lostFiles.join(', ')}</p>
        )}
        {failed && (
          <div className="failure" role="alert">
            <p>
              <Icon name="warning" small />
              Not sent. {entry.error}
            </p>
            <div className="failure-actions">
              <Button icon="refresh" onClick={() => actions.retry(entry.key)}>
                Try again
              </Button>
              <Button kind="quiet" onClick={() => actions.takeBack(entry)}>
                Edit
              </Button>
              <Button kind="quiet" onClick={() => actions.drop(entry.key)}>
                Discard
              </Button>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}
