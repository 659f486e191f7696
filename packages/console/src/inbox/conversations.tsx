import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type InboxChannel, inboxApi } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Check } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { Loaded } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { channelsQuery, messagesQuery } from './queries.ts';
import { SourceBadge, sourceName } from './source.tsx';
import { StoredMessageList } from './stored-messages.tsx';

/** Wide enough for list and conversation side by side; the style sheet has the same number. */
const WIDE = '(min-width: 1100px)';

export function ConversationsSection({ channelId }: { readonly channelId: string | null }) {
  const channels = useQuery(channelsQuery);
  const chosen = channels.data?.find((channel) => channel.channel_id === channelId);
  const first = channels.data?.[0]?.channel_id;

  useEffect(() => {
    if (channelId !== null || first === undefined || !window.matchMedia(WIDE).matches) return;
    navigate(paths.inbox('conversations', first), { replace: true });
  }, [channelId, first]);

  return (
    <div className="conversations">
      <section className="pane conversation-list" aria-label="Conversations">
        <Loaded query={channels} what="the conversations" shape="list">
          {(list) =>
            list.length === 0 ? (
              <Empty icon="inbox" title="No conversations yet">
                <p>
                  Messages of people on the <Link to={paths.inbox('allowlist')}>allowlist</Link> come in here.
                  To try it, write something in the <Link to={paths.chat()}>chat</Link>.
                </p>
              </Empty>
            ) : (
              <nav
                className="channel-list"
                aria-label="Conversations"
                onKeyDown={(event) => moveByArrows(event)}
              >
                {list.map((channel) => (
                  <ConversationLink
                    key={channel.channel_id}
                    channel={channel}
                    current={channel.channel_id === channelId}
                  />
                ))}
              </nav>
            )
          }
        </Loaded>
      </section>
      {channelId !== null && <InboxConversation key={channelId} channelId={channelId} channel={chosen} />}
    </div>
  );
}

function titleOf(channelId: string, channel: InboxChannel | undefined): string {
  return channel?.name ?? channelId;
}

function ConversationLink({
  channel,
  current,
}: {
  readonly channel: InboxChannel;
  readonly current: boolean;
}) {
  return (
    <Link
      to={paths.inbox('conversations', channel.channel_id)}
      className="channel-link"
      data-roving
      aria-current={current ? 'page' : undefined}
    >
      <span className="avatar avatar-medium avatar-channel" aria-hidden="true">
        <Icon name={channel.channel_type === 'dm' ? 'user' : 'hash'} small />
      </span>
      <span className="channel-words">
        <span className="channel-line">
          <bdi className="channel-name">{titleOf(channel.channel_id, channel)}</bdi>
          {channel.last_message_at !== null && <Time at={channel.last_message_at} as="list" />}
        </span>
        <span className="channel-line">
          <span className="channel-preview">
            {sourceName(channel.source)} ·{' '}
            {channel.message_count === 0 ? 'nothing let in yet' : counted(channel.message_count, 'message')}
          </span>
        </span>
      </span>
    </Link>
  );
}

interface InboxConversationProps {
  readonly channelId: string;
  readonly channel: InboxChannel | undefined;
}

function InboxConversation({ channelId, channel }: InboxConversationProps) {
  const messages = useInfiniteQuery(messagesQuery(channelId));
  const title = titleOf(channelId, channel);
  return (
    <section className="pane inbox-conversation" aria-label="Conversation">
      <header className="pane-head">
        <Link
          to={paths.inbox('conversations')}
          className="icon-button pane-back"
          aria-label="Back to the conversations"
        >
          <Icon name="back" />
        </Link>
        <div className="pane-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <p className="breakable">
            <code>{channelId}</code>
          </p>
        </div>
        {channel !== undefined && <SourceBadge source={channel.source} />}
      </header>
      <Loaded query={messages} what="the messages" shape="messages">
        {({ pages }) => (
          <StoredMessageList
            channelId={channelId}
            messages={pages.toReversed().flatMap((page) => page.messages)}
            loadOlder={messages.hasNextPage ? () => messages.fetchNextPage() : null}
            loadingOlder={messages.isFetchingNextPage}
          />
        )}
      </Loaded>
      {channel !== undefined && <MassMentions channel={channel} />}
    </section>
  );
}

function MassMentions({ channel }: { readonly channel: InboxChannel }) {
  const client = useQueryClient();
  const toast = useToast();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const change = useMutation({
    mutationFn: (allow: boolean) => inboxApi.setMassMentions(channel.channel_id, allow),
    onSuccess: () => client.invalidateQueries(channelsQuery),
    onError: (error) => toast(`The setting was not saved. ${errorText(error)}`, 'failed'),
    onSettled: () => setWanted(null),
  });
  return (
    <footer className="pane-foot">
      <Check
        label="Agents may mention everyone here"
        hint="Off, @everyone, @here and the like are sent so that they notify nobody."
        checked={wanted ?? channel.allow_mass_mentions}
        disabled={change.isPending}
        onChange={(allow) => {
          setWanted(allow);
          change.mutate(allow);
        }}
      />
    </footer>
  );
}
