import type { PlatformBehaviour, ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { SessionTable } from '../tables.ts';

/** How channels are divided into sessions: by threads, or one to the whole of it. */

type Behaviour = Pick<PlatformBehaviour, 'directChannelMode' | 'directMessages'>;

export interface ChannelRule {
  /** `direct` is a conversation of one person with the bot: all of it one session, and nobody else's. */
  readonly kind: 'thread' | 'channel' | 'direct';
  /** Whether posts start sessions without a mention. */
  readonly startsUnmentioned: boolean;
  /** Whether sessions hear only what mentions the bot. */
  readonly needsMention: boolean;
}

/** The rule of a channel, or null where the bot does not listen. A platform tells of its own channel and direct ones. */
export function channelRuleOf(
  platform: Pick<Platform, 'channelId'>,
  { directChannelMode: { enabled, respondTo }, directMessages }: Behaviour,
  channelId: string,
  respondOnlyWhenMentioned = false,
): ChannelRule | null {
  if (channelId !== platform.channelId) {
    return directMessages ? { kind: 'direct', startsUnmentioned: true, needsMention: false } : null;
  }
  if (!enabled) return { kind: 'thread', startsUnmentioned: false, needsMention: respondOnlyWhenMentioned };
  const needsMention = respondOnlyWhenMentioned || respondTo === 'mention';
  return { kind: 'channel', startsUnmentioned: !needsMention, needsMention };
}

/** What people do so that a session hears them, as it stands now. */
export function wayToSpeak(
  at: {
    readonly platform: Pick<Platform, 'channelId'>;
    readonly behaviour: Behaviour;
    readonly config: Pick<ThreadsConfig, 'respondOnlyWhenMentioned'>;
  },
  session: Pick<SessionTable, 'channel_id' | 'mentions_only'>,
): 'Write' | 'Mention me' {
  const { respondOnlyWhenMentioned } = at.config;
  const rule = channelRuleOf(at.platform, at.behaviour, session.channel_id, respondOnlyWhenMentioned);
  return session.mentions_only === 1 || rule?.needsMention === true ? 'Mention me' : 'Write';
}
