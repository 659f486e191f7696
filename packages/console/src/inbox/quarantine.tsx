import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../api/http.ts';
import { type AllowlistEntry, type Envelope, inboxApi } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { AllowDialog, type AllowTarget } from './allow-dialog.tsx';
import { discordNaming } from './discord-names.ts';
import { EnvelopeFiles } from './envelope-files.tsx';
import { LookalikeWarning } from './lookalike-warning.tsx';
import { type Lookalike, lookalikesOf } from './lookalikes.ts';
import { allowlistQuery, channelsQuery, quarantineQuery } from './queries.ts';
import { SenderId, SourceBadge, sourceName } from './source.tsx';

export function QuarantineSection() {
  const quarantine = useInfiniteQuery(quarantineQuery);
  const allowlist = useQuery(allowlistQuery).data ?? [];
  const [allowing, setAllowing] = useState<AllowTarget | null>(null);
  return (
    <Section
      title="Quarantine"
      intro="Messages of people who are not on the allowlist. No agent sees them before you let them through."
    >
      <Loaded query={quarantine} what="the quarantine">
        {({ pages }) => (
          <Waiting
            messages={pages.flat()}
            allowlist={allowlist}
            onAllow={setAllowing}
            loadOlder={quarantine.hasNextPage ? () => void quarantine.fetchNextPage() : null}
            loading={quarantine.isFetchingNextPage}
          />
        )}
      </Loaded>
      {allowing !== null && <AllowDialog target={allowing} onClose={() => setAllowing(null)} />}
    </Section>
  );
}

interface WaitingProps {
  readonly messages: readonly Envelope[];
  readonly allowlist: readonly AllowlistEntry[];
  readonly onAllow: (target: AllowTarget) => void;
  readonly loadOlder: (() => void) | null;
  readonly loading: boolean;
}

interface SenderGroup {
  readonly key: string;
  readonly source: string;
  readonly sender: Envelope['sender'];
  /** Newest first. */
  readonly messages: readonly Envelope[];
}

/** One card a sender: the decision is about a person, seldom about a single message. */
function groupBySender(messages: readonly Envelope[]): readonly SenderGroup[] {
  const groups = Map.groupBy(messages, ({ source, sender }) => `${source} ${sender.id}`);
  return [...groups].flatMap(([key, list]) => {
    const newest = list[0];
    return newest === undefined
      ? []
      : [{ key, source: newest.source, sender: newest.sender, messages: list }];
  });
}

function Waiting({ messages, allowlist, onAllow, loadOlder, loading }: WaitingProps) {
  if (messages.length === 0) {
    return (
      <Empty icon="shieldCheck" title="Nothing is held back">
        <p>
          When somebody unknown writes, their message waits here. People you trust can be put on the{' '}
          <Link to={paths.inbox('allowlist')}>allowlist</Link> beforehand.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <ul className="cards">
        {groupBySender(messages).map((group) => {
          const { source, sender } = group;
          const named = { source, senderId: sender.id, name: sender.display_name };
          const lookalikes = lookalikesOf(named, messages, allowlist);
          const target = { source, senderId: sender.id, displayName: sender.display_name, lookalikes };
          return (
            <li key={group.key}>
              <SenderCard group={group} lookalikes={lookalikes} onAllow={() => onAllow(target)} />
            </li>
          );
        })}
      </ul>
      {loadOlder !== null && <LoadMore busy={loading} onLoad={loadOlder} />}
    </>
  );
}

interface SenderCardProps {
  readonly group: SenderGroup;
  readonly lookalikes: readonly Lookalike[];
  readonly onAllow: () => void;
}

function SenderCard({ group, lookalikes, onAllow }: SenderCardProps) {
  const { sender, source, messages } = group;
  return (
    <article
      className="card"
      aria-label={`${sender.display_name}, ${sourceName(source, sender.id)}, ${sender.id}`}
    >
      <header className="card-head">
        <Avatar id={sender.id} name={sender.display_name} />
        <div className="card-title">
          <h2>
            <bdi>{sender.display_name}</bdi>
            <SourceBadge source={source} senderId={sender.id} />
          </h2>
          <SenderId id={sender.id} />
        </div>
        <Button kind="primary" icon="shieldCheck" onClick={onAllow}>
          Allow sender
        </Button>
      </header>
      {lookalikes.length > 0 && <LookalikeWarning lookalikes={lookalikes} name={sender.display_name} />}
      <ul className="held-messages" aria-label={counted(messages.length, 'held message')}>
        {messages.map((message) => (
          <li key={message.id}>
            <HeldMessage message={message} />
          </li>
        ))}
      </ul>
    </article>
  );
}

/** A stranger's names for others are the platform's own here: who wrote what elsewhere is not looked up. */
const NOBODY: ReadonlyMap<string, string> = new Map();

function HeldMessage({ message }: { readonly message: Envelope }) {
  const channels = useQuery(channelsQuery).data ?? [];
  const client = useQueryClient();
  const toast = useToast();
  const release = useMutation({
    mutationFn: () => inboxApi.release(message.id),
    onSuccess() {
      toast('Released. The message is unread for every agent; the sender stays unknown.');
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error) => toast(`The message was not released. ${errorText(error)}`, 'failed'),
  });
  return (
    <div className="held">
      <div className="held-text">
        <p className="held-meta">
          <Time at={message.timestamp} as="relative" />
          <span className="breakable">
            in <code>{message.channel_id}</code>
          </span>
        </p>
        {message.text === '' ? (
          <p className="message-deleted">No text</p>
        ) : (
          <Markdown text={message.text} naming={discordNaming(message, NOBODY, channels)} />
        )}
        <EnvelopeFiles attachments={message.attachments} trusted={false} />
      </div>
      <Button busy={release.isPending} onClick={() => release.mutate()}>
        Release this one
      </Button>
    </div>
  );
}
