import { type Clock, systemClock, systemRandom } from '@postern/kit';
import { z } from 'zod';
import { outboundLimiter } from '../limiter.ts';
import { PlatformError } from '../platform.ts';
import { type SlackApi, slackApi } from './api.ts';
import { isSlackChannelId } from './channels.ts';
import { isRefusedWith } from './errors.ts';
import { BOT_SCOPES } from './scopes.ts';
import { authAnswer, channelAnswer } from './shapes.ts';

/** One thing that was looked at; what follows one that failed is not looked at any more. */
export interface SlackCheck {
  readonly name: 'app token' | 'bot token' | 'scopes' | 'channel' | 'membership';
  readonly ok: boolean;
  /** Sentences for an operator, without secrets; there when it is not ok. */
  readonly problem?: string;
  readonly remedy?: string;
}

export interface SlackCredentials {
  readonly botToken: string;
  readonly appToken: string;
  readonly channelId: string;
  readonly apiUrl?: string | undefined;
}

export interface CheckOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
/** Somebody waits at a prompt. */
const TRIES = 2;

interface Finding {
  readonly problem: string;
  readonly remedy: string;
}

/** Whether a bot could work with these settings: both tokens, scopes, channel and membership. Never throws. */
export async function checkSlack(
  { botToken, appToken, channelId, apiUrl }: SlackCredentials,
  { clock = systemClock, signal, deadlineMs = DEADLINE_MS }: CheckOptions = {},
): Promise<SlackCheck[]> {
  const limiter = outboundLimiter({ clock, rateOf: () => null });
  const apiWith = (token: string) =>
    slackApi({ ...{ token, apiUrl, limiter, clock, deadlineMs }, random: systemRandom, tries: TRIES });
  const bot = apiWith(botToken);
  const checks: SlackCheck[] = [];
  const note = (name: SlackCheck['name'], finding: Finding | null) => {
    checks.push({ name, ok: finding === null, ...finding });
    return finding === null;
  };
  // The tokens are told apart, since a wrong one is not the other's fault.
  note('app token', await checkAppToken(apiWith(appToken), appToken, signal));
  const auth = await checkBotToken(bot, botToken, signal);
  if (!note('bot token', auth.finding) || auth.answer === null) return checks;
  if (!note('scopes', checkScopes(auth.answer.response_metadata?.scopes))) return checks;
  const found = await findChannel(bot, channelId, signal);
  if (!note('channel', found.finding)) return checks;
  note(
    'membership',
    found.isMember
      ? null
      : {
          problem: `@${auth.answer.user} is not a member of the channel.`,
          remedy: `Write /invite @${auth.answer.user} in the channel.`,
        },
  );
  return checks;
}

async function checkAppToken(api: SlackApi, token: string, signal?: AbortSignal): Promise<Finding | null> {
  if (!token.startsWith('xapp-')) {
    return { problem: 'The app token does not begin with xapp-.', remedy: APP_TOKEN_REMEDY };
  }
  try {
    const schema = z.object({ url: z.string() });
    await api.call({ method: 'apps.connections.open', schema, signal });
    return null;
  } catch (error) {
    if (isRefusedWith(error, 'missing_scope')) {
      return { problem: 'The app token lacks connections:write.', remedy: APP_TOKEN_REMEDY };
    }
    return findingOf(error, 'The app token', APP_TOKEN_REMEDY);
  }
}

async function checkBotToken(api: SlackApi, token: string, signal?: AbortSignal) {
  if (!token.startsWith('xoxb-')) {
    const finding = { problem: 'The bot token does not begin with xoxb-.', remedy: BOT_TOKEN_REMEDY };
    return { finding, answer: null };
  }
  try {
    return { finding: null, answer: await api.call({ method: 'auth.test', schema: authAnswer, signal }) };
  } catch (error) {
    return { finding: findingOf(error, 'The bot token', BOT_TOKEN_REMEDY), answer: null };
  }
}

/** Slack tells a token's scopes with every answer; where something between leaves them out, the calls will tell. */
function checkScopes(scopes: readonly string[] | undefined): Finding | null {
  if (scopes === undefined) return null;
  const missing = Object.entries(BOT_SCOPES).filter(([scope]) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  const list = missing.map(([scope, purpose]) => `${scope} (${purpose})`).join(', ');
  return {
    problem: `The bot token lacks ${list}.`,
    remedy: 'Add the scopes under OAuth & Permissions, then reinstall the app to the workspace.',
  };
}

async function findChannel(api: SlackApi, channelId: string, signal?: AbortSignal) {
  const remedy =
    'Open the channel, click its name and copy the channel ID at the bottom; it is not the name.';
  if (!isSlackChannelId(channelId)) {
    return { finding: { problem: 'channelId is no id of a channel.', remedy }, isMember: false };
  }
  try {
    const args = { channel: channelId };
    const answer = await api.call({ method: 'conversations.info', args, schema: channelAnswer, signal });
    return { finding: null, isMember: answer.channel.is_member === true || answer.channel.is_im === true };
  } catch (error) {
    if (isRefusedWith(error, 'channel_not_found')) {
      const problem = 'The bot sees no channel of this id; a private one only shows when the bot is in it.';
      return { finding: { problem, remedy: `${remedy} Invite the bot to it.` }, isMember: false };
    }
    return { finding: findingOf(error, 'The channel', remedy), isMember: false };
  }
}

const APP_TOKEN_REMEDY =
  'Make one under Basic Information, App-Level Tokens, with the scope connections:write, and switch Socket Mode on.';
const BOT_TOKEN_REMEDY = 'Install the app to the workspace and copy the Bot User OAuth Token.';

function findingOf(error: unknown, what: string, remedy: string): Finding {
  if (error instanceof PlatformError && !['unavailable', 'unknown'].includes(error.code)) {
    return { problem: `${what} is refused: ${error.message}.`, remedy };
  }
  const reason = error instanceof PlatformError ? error.message : 'an unexpected error';
  return {
    problem: `Slack could not be reached: ${reason}.`,
    remedy: 'Check that this machine reaches slack.com on port 443, and that no proxy stops WebSockets.',
  };
}
