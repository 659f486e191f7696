import { useMutation, useQueryClient } from '@tanstack/react-query';
import { errorText } from '../api/http.ts';
import { type LocalAttachment, type LocalMessage, localApi, type Person } from '../api/local.ts';
import { paths } from '../router.tsx';
import { copyText } from '../ui/copy.tsx';
import { useToast } from '../ui/toast.tsx';
import { applyToCache } from './live.tsx';

/** What can be done with a message, as its buttons and keys see it. */
export interface MessageActions {
  /** Null until the reader has chosen who they are; then nothing that speaks for them is offered. */
  readonly person: Person | null;
  /** Null inside a thread, which has none of its own. */
  readonly openThread: ((rootId: string) => void) | null;
  readonly reply: (message: LocalMessage) => void;
  readonly react: (message: LocalMessage, emoji: string) => void;
  readonly pickEmoji: (message: LocalMessage, anchor: HTMLElement) => void;
  readonly startEdit: (messageId: string | null) => void;
  readonly saveEdit: (message: LocalMessage, text: string) => void;
  readonly askDelete: (message: LocalMessage) => void;
  readonly copyLink: (message: LocalMessage) => void;
  readonly showPicture: (picture: LocalAttachment) => void;
  readonly jumpTo: (messageId: string) => void;
  readonly nameOf: (userId: string) => string;
}

/** The changes of a message that go to the server. Each is shown at once and taken back if it fails. */
export function useMessageChanges(person: Person | null) {
  const client = useQueryClient();
  const toast = useToast();

  const reaction = useMutation({
    mutationFn: ({ message, emoji, on }: { message: LocalMessage; emoji: string; on: boolean }) => {
      const userId = person?.id ?? '';
      return on ? localApi.react(message.id, userId, emoji) : localApi.unreact(message.id, userId, emoji);
    },
    onMutate: ({ message, emoji, on }) => showReaction(message, emoji, on),
    onSuccess: (message) => applyToCache(client, { type: 'message.updated', message }),
    onError(error, { message, emoji, on }) {
      showReaction(message, emoji, !on);
      toast(`Your reaction was not saved. ${errorText(error)}`, 'failed');
    },
  });

  function showReaction({ id, channel_id: channelId }: LocalMessage, emoji: string, on: boolean): void {
    const type = on ? 'reaction.added' : 'reaction.removed';
    applyToCache(client, { type, messageId: id, channelId, userId: person?.id ?? '', emoji });
  }

  const edit = useMutation({
    mutationFn: ({ message, text }: { message: LocalMessage; text: string }) =>
      localApi.edit(message.id, person?.id ?? '', text),
    onMutate: ({ message, text }) =>
      applyToCache(client, { type: 'message.updated', message: { ...message, text } }),
    onSuccess: (message) => applyToCache(client, { type: 'message.updated', message }),
    onError(error, { message }) {
      applyToCache(client, { type: 'message.updated', message });
      toast(`The edit was not saved. ${errorText(error)}`, 'failed');
    },
  });

  const remove = useMutation({
    mutationFn: (message: LocalMessage) => localApi.remove(message.id, person?.id ?? ''),
    onSuccess: (message) => applyToCache(client, { type: 'message.deleted', message }),
  });

  function react(message: LocalMessage, emoji: string): void {
    const mine =
      message.reactions.find((one) => one.emoji === emoji)?.user_ids.includes(person?.id ?? '') ?? false;
    reaction.mutate({ message, emoji, on: !mine });
  }

  async function copyLink(message: LocalMessage): Promise<void> {
    const channelName = message.channel_id.replace(/^local:/, '');
    const link = message.permalink || window.location.origin + paths.chat(channelName, message.id);
    const done = await copyText(link);
    if (done) toast('Link copied');
    else toast(`The browser did not allow copying. The link is ${link}`, 'failed');
  }

  return { react, edit, remove, copyLink };
}
