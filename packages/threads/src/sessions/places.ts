import type { PlatformBehaviour } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';

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
