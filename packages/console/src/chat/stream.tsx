import { type ReactNode, type RefObject, useCallback, useMemo, useState } from 'react';
import { errorText } from '../api/http.ts';
import type { LocalAttachment, LocalChannel, LocalMessage, Person } from '../api/local.ts';
import { plainText } from '../lib/markdown.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { PictureDialog } from './attachments.tsx';
import { Composer } from './composer.tsx';
import { draftKey, readDraft, writeDraft } from './drafts.ts';
import { EmojiPicker } from './emoji-picker.tsx';
import { useLive, useOutgoing } from './live.tsx';
import { type MessageActions, useMessageChanges } from './message-actions.ts';
import { MessageList, rowId } from './message-list.tsx';
import type { OutgoingActions } from './outgoing-message.tsx';
import { channelTitle, isOutsider } from './people.ts';
import { TypingLine } from './typing-line.tsx';

interface StreamProps {
  readonly channel: LocalChannel;
  readonly threadId: string | null;
  readonly messages: readonly LocalMessage[];
  readonly label: string;
  readonly person: Person | null;
  readonly highlightId: string | null;
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly start: ReactNode;
  /** Shown between messages and box, for a stretch of the past. */
  readonly notice?: ReactNode;
  readonly onNearStart: (() => void) | null;
  readonly onNearEnd: (() => void) | null;
  readonly onOpenThread: ((rootId: string) => void) | null;
  readonly onJump: (messageId: string) => void;
  readonly onEscape: () => void;
  /** Called when a message is sent, so that a page in the past can go back to the present. */
  readonly onSend?: () => void;
  readonly onChoosePerson: () => void;
}

/** Messages with a box to write in: the body of a channel and of a thread. */
export function Stream(props: StreamProps) {
  const { channel, threadId, messages, input } = props;
  const outside = isOutsider(channel, props.person);
  const person = outside ? null : props.person;
  const { outbox } = useLive();
  const changes = useMessageChanges(person);
  const outgoing = useOutgoing().filter(
    (entry) => entry.channelId === channel.id && entry.threadId === threadId,
  );
  const key = draftKey(channel.id, threadId);
  const [editingId, setEditingId] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<LocalMessage | null>(null);
  const [picture, setPicture] = useState<LocalAttachment | null>(null);
  const [picking, setPicking] = useState<{ message: LocalMessage; anchor: HTMLElement } | null>(null);

  const focusInput = useCallback(() => input.current?.focus(), [input]);
  const names = useMemo(
    () =>
      new Map([...channel.members, ...messages.map(({ user }) => user)].map(({ id, name }) => [id, name])),
    [channel.members, messages],
  );

  function endEdit(): void {
    setEditingId(null);
    focusInput();
  }

  const actions: MessageActions = {
    person,
    openThread: props.onOpenThread,
    reply(message) {
      writeDraft(key, { ...readDraft(key), replyTo: message.id });
      focusInput();
    },
    react: changes.react,
    pickEmoji: (message, anchor) => setPicking({ message, anchor }),
    startEdit: (id) => (id === null ? endEdit() : setEditingId(id)),
    saveEdit(message, text) {
      changes.edit.mutate({ message, text });
      endEdit();
    },
    askDelete: setDeleting,
    copyLink: changes.copyLink,
    showPicture: setPicture,
    jumpTo: props.onJump,
    nameOf: (id) => names.get(id) ?? id,
  };

  const outgoingActions: OutgoingActions = {
    retry: outbox.retry,
    drop: outbox.drop,
    takeBack(entry) {
      const draft = readDraft(key);
      const text = [entry.text, draft.text].filter((part) => part !== '').join('\n');
      writeDraft(key, { text, files: [...entry.files, ...draft.files], replyTo: entry.replyTo });
      outbox.drop(entry.key);
      focusInput();
    },
  };

  function editLast(): void {
    const last = messages.findLast(({ user, deleted_at: gone, thread_id: thread }) => {
      return user.id === person?.id && gone === null && (threadId !== null || thread === null);
    });
    if (last !== undefined) setEditingId(last.id);
  }

  return (
    <>
      <MessageList
        label={props.label}
        channelId={channel.id}
        messages={messages}
        outgoing={outgoing}
        thread={threadId !== null}
        highlightId={props.highlightId}
        editingId={editingId}
        actions={actions}
        outgoingActions={outgoingActions}
        start={props.start}
        onNearStart={props.onNearStart}
        onNearEnd={props.onNearEnd}
        onLeave={focusInput}
      />
      {props.notice}
      <TypingLine channel={channel} me={person?.id ?? null} />
      {person === null ? (
        <div className="composer composer-locked">
          <p>
            {outside
              ? `This is between ${channelTitle(channel, null)} and Postern.`
              : 'To write here, say who you are.'}
          </p>
          <Button kind={outside ? 'plain' : 'primary'} onClick={props.onChoosePerson}>
            {outside ? 'Change who you are' : 'Choose a name'}
          </Button>
        </div>
      ) : (
        <Composer
          key={key}
          draftKey={key}
          label={threadId === null ? `Message ${props.label}` : 'Reply in the thread'}
          people={channel.members}
          findMessage={(id) => messages.find((message) => message.id === id)}
          input={input}
          onEditLast={editLast}
          onEscape={props.onEscape}
          onSend={({ text, files, replyTo }) => {
            // A quoted reply of a thread belongs to that thread, also where it was seen in the channel.
            const quoted = messages.find(({ id }) => id === replyTo);
            const thread = threadId ?? quoted?.thread_id ?? null;
            outbox.add({ channelId: channel.id, threadId: thread, replyTo, user: person, text, files });
            props.onSend?.();
          }}
        />
      )}
      {picking !== null && (
        <EmojiPicker
          anchor={picking.anchor}
          onClose={() => setPicking(null)}
          onPick={(name) => changes.react(picking.message, name)}
        />
      )}
      {picture !== null && <PictureDialog picture={picture} onClose={() => setPicture(null)} />}
      {deleting !== null && (
        <ConfirmDialog
          title="Delete this message?"
          action="Delete"
          busy={changes.remove.isPending}
          error={changes.remove.isError ? errorText(changes.remove.error) : null}
          onClose={() => {
            changes.remove.reset();
            setDeleting(null);
          }}
          onConfirm={() =>
            changes.remove.mutate(deleting, {
              onSuccess() {
                setDeleting(null);
                // The button that asked goes with the message; what is left of it takes the focus.
                const id = rowId(deleting.id, threadId !== null);
                requestAnimationFrame(() => document.getElementById(id)?.focus());
              },
            })
          }
        >
          <p>Everyone sees that a message was here, but not what it said. This can’t be undone.</p>
          {deleting.text !== '' && (
            <blockquote className="delete-preview">{plainText(deleting.text)}</blockquote>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
