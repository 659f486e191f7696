/** Discord's ids: snowflakes, decimal strings that grow with time. */

const DISCORD_EPOCH_MS = 1_420_070_400_000;
const TIME_SHIFT = 22n;
/** What Discord gives out has at least so many digits since its first month. */
const REAL_DIGITS = 16;

const DM = 'discord:dm:';
const CHANNEL = 'discord:channel:';

/** Channel ids as envelopes have them. */
export function channelIdOf(type: 'dm' | 'group', snowflake: string): string {
  return `${type === 'dm' ? DM : CHANNEL}${snowflake}`;
}

/** The other way round; null for what is no Discord channel. */
export function snowflakeOf(channelId: string): { type: 'dm' | 'group'; snowflake: string } | null {
  const [, kind, snowflake] = /^discord:(dm|channel):(\d{1,20})$/.exec(channelId) ?? [];
  return snowflake === undefined ? null : { type: kind === 'dm' ? 'dm' : 'group', snowflake };
}

/** The least snowflake of a time; `like` is an id of the same server, since not all that speak its protocol have times in their ids. */
export function snowflakeAt(milliseconds: number, like: string): bigint {
  if (like.length < REAL_DIGITS) return 0n;
  const sinceEpoch = Math.max(0, Math.floor(milliseconds) - DISCORD_EPOCH_MS);
  return BigInt(sinceEpoch) << TIME_SHIFT;
}

/** Milliseconds since the Unix epoch at which an id was given out. */
export function timeOf(snowflake: bigint): number {
  return Number(snowflake >> TIME_SHIFT) + DISCORD_EPOCH_MS;
}

/** The newest of ids; 0 of none. */
export function greatest(ids: readonly bigint[]): bigint {
  let most = 0n;
  for (const id of ids) if (id > most) most = id;
  return most;
}

/** A token begins with the bot's user id; null when it is not of that form. */
export function botIdOf(token: string): string | null {
  const [first = ''] = token.split('.');
  const id = Buffer.from(first, 'base64url').toString('latin1');
  return /^\d{15,20}$/.test(id) ? id : null;
}
